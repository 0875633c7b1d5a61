use super::*;

#[track_caller]
fn check(line: &str, expected: &[&str]) {
    assert_eq!(commands(line), expected, "{line}");
}

#[test]
fn a_simple_command_is_itself() {
    check("ls -l", &["ls -l"]);
    check("  ls -l\n", &["ls -l"]);
    check("echo 'a; b' \"c && d\" e\\;f", &["echo 'a; b' \"c && d\" e\\;f"]);
    check("echo hi > marker.txt 2>&1", &["echo hi > marker.txt 2>&1"]);
    check("echo hi >| f <&3", &["echo hi >| f <&3"]);
    check("echo $HOME ${HOME} \"${A_1}/x\" $? \"$\"", &["echo $HOME ${HOME} \"${A_1}/x\" $? \"$\""]);
    check("echo a#b", &["echo a#b"]);
    check("echo $((40+2)) \"$(( 6 * -7 ))\"", &["echo $((40+2)) \"$(( 6 * -7 ))\""]);
    check("grep é \"👍\"", &["grep é \"👍\""]);
    check("", &[]);
    check(" ; ", &[";"]);
}

#[test]
fn every_command_of_a_line_is_found() {
    check("echo a; rm -rf b", &["echo a", "rm -rf b"]);
    check("echo a && x || y", &["echo a", "x", "y"]);
    check("a | b |& c", &["a", "b", "c"]);
    check("a & b", &["a", "b"]);
    check("a\nb\r\nc", &["a", "b", "c"]);
    check("(a; b) && { c; d; }", &["a", "b", "c", "d"]);
    check("! a", &["a"]);
    check("echo a; echo a", &["echo a"]);
    check("if a; then b; elif c; then d; else e; fi", &["a", "b", "c", "d", "e"]);
    check("for f in *; do\nrm $f\ndone", &["for f in *", "rm $f"]);
    check("while a; do b; done", &["a", "b"]);
    check("echo() { rm x; }; echo a", &["echo", "rm x", "echo a"]);
}

#[test]
fn what_is_run_inside_of_a_command_is_found_too() {
    check("echo $(rm b)", &["rm b", "echo $(rm b)"]);
    check("echo \"x $(rm b; c) y\"", &["rm b", "c", "echo \"x $(rm b; c) y\""]);
    check("echo '$(rm b)'", &["echo '$(rm b)'"]);
    check("echo \\$(rm b)", &["echo \\$", "rm b"]);
    check("echo `rm b`", &["rm b", "echo `rm b`"]);
    check("echo \"`rm b`\"", &["rm b", "echo \"`rm b`\""]);
    check("echo `echo '`; rm b; '`", &["echo", "echo '", "rm b", "'"]);
    check("diff <(a) >(b; c)", &["a", "b", "c", "diff <(a) >(b; c)"]);
    check("echo $(a $(b \"$(c)\"))", &["c", "b \"$(c)\"", "a $(b \"$(c)\")", "echo $(a $(b \"$(c)\"))"]);
    check("echo $((rm b); (c))", &["rm b", "c", "echo $((rm b); (c))"]);
    check("echo $((7) )", &["7", "echo $((7) )"]);
    check("echo $((a[$(rm b)]))", &["rm b", "a[$(rm b)]", "echo $((a[$(rm b)]))"]);
}

#[test]
fn where_quoting_is_beyond_it_every_mark_splits() {
    check("echo 'a; b", &["echo 'a", "b"]);
    check("echo \"a; b", &["echo \"a", "b"]);
    check("echo $'\\''; rm b #'", &["echo $'\\''", "rm b #'"]);
    check("echo $\"a;b\"", &["echo $\"a", "b\""]);
    check("echo a # it's\nrm b #'", &["echo a # it's", "rm b #'"]);
    check("cat <<'E'\n'\nE\nrm b '", &["cat <<'E'", "'", "E", "rm b '"]);
    check("echo \"${x:-\"a'b\"}\"; rm y; echo 'c'd'", &["echo \"${x:-\"a'b\"}\"", "rm y", "echo 'c'd'"]);
    check("echo 'a\\'; rm b; '", &["echo 'a\\'", "rm b", "'"]);
    check("echo `echo \\`rm b\\``", &["echo", "echo \\", "rm b\\"]);
    check("case x in a) rm b;; esac", &["case x in a", "rm b"]);
    check("echo a)", &["echo a"]);
    check("echo $(a", &["echo $", "a"]);
}

#[test]
fn a_long_or_deep_line_is_split_all_the_same() {
    let deep = format!("echo {}rm b{}", "$(".repeat(1_000), ")".repeat(1_000));
    assert!(commands(&deep).contains(&"rm b".to_owned()));
    let long = format!("echo '{}'; rm b", "x".repeat(LINE_BYTES_MAX));
    assert!(commands(&long).contains(&"rm b".to_owned()));
    assert_eq!(commands(&"a;b;".repeat(100_000)), ["a", "b"]);
}
