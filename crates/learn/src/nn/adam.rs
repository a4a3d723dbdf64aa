//! Adam with L2 weight decay in the gradient, fused into one pass over the weights.
//!
//! Paper: Kingma and Ba 2015, algorithm 1; decay as in `PyTorch`'s `Adam`.
//!
//! | paper | code | range |
//! |---|---|---|
//! | alpha | [`AdamParams::rate`] | > 0 |
//! | beta1, beta2 | [`AdamParams::beta1`], [`AdamParams::beta2`] | 0..1 |
//! | epsilon | [`AdamParams::epsilon`] | > 0 |
//! | alpha / (1 - beta1^t), 1 / sqrt(1 - beta2^t) | [`AdamStep`] | one per step |

use super::simd::{dispatched, mul_add};

#[derive(Clone, Copy, Debug)]
pub(crate) struct AdamParams {
    pub rate: f64,
    pub beta1: f64,
    pub beta2: f64,
    pub epsilon: f64,
}

/// The numbers of one optimiser step, ready for the inner loops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AdamStep {
    rate: f32,
    root_scale: f32,
    /// Decay of each moment, and what is left of one.
    beta1: [f32; 2],
    beta2: [f32; 2],
    epsilon: f32,
    decay: f32,
}

impl AdamParams {
    /// At this learning rate, the rest as published.
    pub(crate) const fn at(rate: f64) -> Self {
        Self {
            rate,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
        }
    }

    /// Step number `step` (from 1) with `weight_decay` times the weight added to every gradient.
    pub(crate) fn step(&self, step: usize, weight_decay: f64) -> AdamStep {
        let t = step as f64;
        AdamStep {
            rate: (self.rate / (1.0 - self.beta1.powf(t))) as f32,
            root_scale: (1.0 / (1.0 - self.beta2.powf(t)).sqrt()) as f32,
            beta1: [self.beta1 as f32, (1.0 - self.beta1) as f32],
            beta2: [self.beta2 as f32, (1.0 - self.beta2) as f32],
            epsilon: self.epsilon as f32,
            decay: weight_decay as f32,
        }
    }

    /// A step whose moments are taken as they are; with `beta1` = 0 it is `RMSprop`'s.
    pub(crate) fn uncorrected_step(&self, weight_decay: f64) -> AdamStep {
        AdamStep {
            rate: self.rate as f32,
            root_scale: 1.0,
            ..self.step(1, weight_decay)
        }
    }
}

/// Gradients and moments below are zero. Weights of inputs that a mask never lets through decay for
/// ever, and on numbers too small to be normal ones most processors are slower a hundred times. A
/// step from what is left out is lost in the rounding of any weight that matters.
const DEAD_GRADIENT: f32 = 1e-18;
const DEAD_MOMENT: f32 = 1e-36;

#[allow(clippy::inline_always, reason = "must become part of the wide loops")]
#[inline(always)]
fn above(least: f32, number: f32) -> f32 {
    if number.abs() < least { 0.0 } else { number }
}

impl AdamStep {
    #[allow(clippy::inline_always, reason = "must become part of the wide loops")]
    #[inline(always)]
    pub(crate) fn apply<const FMA: bool>(
        &self,
        weight: &mut f32,
        first: &mut f32,
        second: &mut f32,
        gradient: f32,
    ) {
        let gradient = above(DEAD_GRADIENT, mul_add::<FMA>(self.decay, *weight, gradient));
        let moved = mul_add::<FMA>(self.beta1[0], *first, self.beta1[1] * gradient);
        *first = above(DEAD_MOMENT, moved);
        let square = gradient * gradient;
        let moved = mul_add::<FMA>(self.beta2[0], *second, self.beta2[1] * square);
        *second = above(DEAD_MOMENT, moved);
        let root = mul_add::<FMA>(second.sqrt(), self.root_scale, self.epsilon);
        *weight -= self.rate * *first / root;
    }

    #[must_use]
    pub(crate) fn without_decay(mut self) -> Self {
        self.decay = 0.0;
        self
    }
}

dispatched! {
    pub(crate) fn update(
        step: &AdamStep,
        weights: &mut [f32],
        first: &mut [f32],
        second: &mut [f32],
        gradient: &[f32],
    ) {
        let step = *step;
        let n = weights.len();
        let (first, second, gradient) = (&mut first[..n], &mut second[..n], &gradient[..n]);
        for i in 0..n {
            step.apply::<FMA>(&mut weights[i], &mut first[i], &mut second[i], gradient[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, gradient 2 then 0, decay 0, rate 0.1:
    /// step 1: m = 0.2, v = 0.004, both bias-corrected to 2 and 4: move 0.1 * 2 / 2 = 0.1;
    /// step 2: m = 0.18, v = 0.003996; corrected 0.18 / 0.19 and 0.003996 / 0.001999.
    #[test]
    fn two_steps_by_hand() {
        let params = AdamParams::at(0.1);
        let (mut w, mut m, mut v) = ([1.0], [0.0], [0.0]);
        update(&params.step(1, 0.0), &mut w, &mut m, &mut v, &[2.0]);
        assert!((w[0] - 0.9).abs() < 1e-6);
        update(&params.step(2, 0.0), &mut w, &mut m, &mut v, &[0.0]);
        let second = 0.1 * (0.18 / 0.19) / (0.003_996_f32 / 0.001_999).sqrt();
        assert!((w[0] - (0.9 - second)).abs() < 1e-6);
    }

    /// Without an end to it, every one of these would be subnormal after some thousand steps.
    #[test]
    fn what_is_never_used_does_not_become_subnormal() {
        let params = AdamParams::at(5e-3);
        let (mut w, mut m, mut v) = ([1e-3, 0.0], [1e-3, 1e-3], [1e-3, 1e-3]);
        for step in 1..150_000 {
            update(
                &params.step(step, 1e-4),
                &mut w,
                &mut m,
                &mut v,
                &[0.0, 0.0],
            );
        }
        for number in [w, m, v].concat() {
            assert!(number == 0.0 || number.is_normal(), "{w:?} {m:?} {v:?}");
        }
        assert_eq!(m, [0.0, 0.0]);
    }

    #[test]
    fn decay_acts_as_a_gradient() {
        let params = AdamParams::at(5e-3);
        let mut plain = ([2.0], [0.0], [0.0]);
        let mut decayed = plain;
        let (w, m, v) = (&mut plain.0, &mut plain.1, &mut plain.2);
        update(&params.step(1, 0.0), w, m, v, &[0.5 + 0.25 * 2.0]);
        let (w, m, v) = (&mut decayed.0, &mut decayed.1, &mut decayed.2);
        update(&params.step(1, 0.25), w, m, v, &[0.5]);
        assert_eq!(plain, decayed);
    }
}
