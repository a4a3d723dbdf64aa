//! The command as it was typed, for those who want to run it again.

/// The arguments of this program without those that say where the result goes.
pub(crate) fn to_repeat() -> String {
    let arguments = std::env::args_os().skip(1);
    let arguments = arguments.map(|argument| argument.to_string_lossy().into_owned());
    without_output(arguments)
}

fn without_output(mut arguments: impl Iterator<Item = String>) -> String {
    let mut line = String::from("fedcdi");
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--out" => drop(arguments.next()),
            "--force" | "--json" => (),
            other if other.starts_with("--out=") => (),
            other => {
                line.push(' ');
                line += &quoted(other);
            }
        }
    }
    line
}

/// As a shell reads it back.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+%@".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_it_went_is_left_out_and_odd_names_are_quoted() {
        let typed = [
            "discover",
            "my data.csv",
            "--out",
            "run",
            "--seed",
            "3",
            "--json",
        ];
        let line = without_output(typed.into_iter().map(str::to_owned));
        assert_eq!(line, "fedcdi discover 'my data.csv' --seed 3");
        let typed = ["discover", "it's", "--out=run", "--force"];
        let line = without_output(typed.into_iter().map(str::to_owned));
        assert_eq!(line, "fedcdi discover 'it'\\''s'");
    }
}
