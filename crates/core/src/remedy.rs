//! What to do about an error: text, and settings that every face names in its own way.
//!
//! A library does not know whether a person types `--missing drop`, writes `missing = "drop"` into a
//! file or passes `missing="drop"` in Python. It names the setting; the [`Face`] writes it down.

use std::fmt;

/// How the people in front of a program name its settings.
pub trait Face {
    /// A setting, with the recommended value if there is one, as a person would enter it.
    fn setting(&self, name: &str, value: Option<&str>) -> String;
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Setting(&'static str, Option<String>),
}

/// What to do about an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remedy {
    parts: Vec<Part>,
}

impl Remedy {
    /// The same, followed by a text.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.parts.push(Part::Text(text.into()));
        self
    }

    /// The same, followed by the name of a setting.
    #[must_use]
    pub fn setting(mut self, name: &'static str) -> Self {
        self.parts.push(Part::Setting(name, None));
        self
    }

    /// The same, followed by a setting with the value to give it.
    #[must_use]
    pub fn set(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.parts.push(Part::Setting(name, Some(value.into())));
        self
    }

    /// The same, followed by all of another one.
    #[must_use]
    pub fn then(mut self, other: Self) -> Self {
        self.parts.extend(other.parts);
        self
    }

    /// The remedy in the words of a face.
    pub fn render(&self, face: &dyn Face) -> String {
        self.told(|name, value| face.setting(name, value))
    }

    fn told(&self, setting: impl Fn(&str, Option<&str>) -> String) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Setting(name, value) => setting(name, value.as_deref()),
        };
        self.parts.iter().map(part).collect()
    }
}

/// In the words of a library that does not know who calls it: `missing = "drop"`.
impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(|name, value| match value {
            Some(value) => format!("{name} = {value:?}"),
            None => name.to_owned(),
        }))
    }
}

impl<T: Into<String>> From<T> for Remedy {
    fn from(text: T) -> Self {
        Self::default().text(text)
    }
}

/// An error or warning that may name settings in its remedy.
pub trait Remedied: fmt::Display {
    /// What to do, where that names settings; the message then ends in it.
    fn remedy(&self) -> Option<Remedy>;

    /// The message with settings as `face` names them.
    fn told_by(&self, face: &dyn Face) -> String {
        let text = self.to_string();
        let Some(remedy) = self.remedy() else {
            return text;
        };
        match text.strip_suffix(&remedy.to_string()) {
            Some(problem) => format!("{problem}{}", remedy.render(face)),
            None => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Flags;

    impl Face for Flags {
        fn setting(&self, name: &str, value: Option<&str>) -> String {
            let value = value.map(|value| format!(" {value}")).unwrap_or_default();
            format!("--{name}{value}")
        }
    }

    struct Missing;

    impl fmt::Display for Missing {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "the value is missing; {}", drop_rows())
        }
    }

    impl Remedied for Missing {
        fn remedy(&self) -> Option<Remedy> {
            Some(drop_rows())
        }
    }

    fn drop_rows() -> Remedy {
        let remedy = Remedy::from("pass ").set("missing", "drop");
        remedy.text(", or set ").setting("schema")
    }

    #[test]
    fn every_face_names_settings_in_its_own_way() {
        assert_eq!(
            Missing.to_string(),
            "the value is missing; pass missing = \"drop\", or set schema"
        );
        assert_eq!(
            Missing.told_by(&Flags),
            "the value is missing; pass --missing drop, or set --schema"
        );
    }
}
