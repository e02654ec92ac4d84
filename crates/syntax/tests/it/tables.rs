//! The whole of what is found in a small file of each language, to be read like a change of API.

use expect_test::expect_file;
use syntax::{Outline, Role, outline};

use crate::{GRAMMARS, fixtures, go_on};

#[test]
fn each_language_gives_the_table_of_its_sample() {
    for (name, language, source) in fixtures() {
        let parsed = GRAMMARS.parse(language, &source, &go_on).unwrap();
        assert!(!parsed.is_broken(), "{name}");
        let mut table = String::from("line:col lines kind name | container | signature\n");
        for s in parsed.symbols().unwrap() {
            let lines = format!("{}-{}", s.start_line, s.end_line);
            let container = s.container.as_deref().unwrap_or("-");
            table += &format!(
                "{}:{} {lines} {} {} | {container} | {}\n",
                s.line,
                s.column,
                s.kind.as_str(),
                s.name,
                s.signature
            );
        }
        for role in [Role::Definition, Role::Call, Role::Import, Role::Other] {
            table += &format!("\n{}:", role.as_str());
            let references = parsed.references(None).unwrap();
            for r in references.iter().filter(|r| r.role == role) {
                table += &format!(" {}@{}:{}", r.name, r.line, r.column);
            }
            table.push('\n');
        }
        expect_file![format!("../tables/{name}.txt")].assert_eq(&table);
    }
}

#[test]
fn an_outline_gives_methods_to_their_types() {
    let (_, language, source) =
        fixtures().into_iter().find(|(name, ..)| name == "shapes.rs").unwrap();
    let symbols = crate::symbols(language, &source);
    let mut text = String::new();
    print(&outline(symbols), 0, &mut text);
    expect_test::expect![[r#"
        constant PI
        variable COUNT
        trait Area
          type Unit
          constant SIDES
          method area
          method twice
        struct Circle
          field radius
          type Unit
          constant SIDES
          method area
        enum Shape
          variant Round
          variant Square
            field side
          method fmt
        macro square
        type Shapes
        function area_of
        union Bits
          field whole
          field parts
        module tests
          function größe
    "#]]
    .assert_eq(&text);
}

fn print(nodes: &[Outline], depth: usize, text: &mut String) {
    for node in nodes {
        let symbol = &node.symbol;
        *text += &format!("{}{} {}\n", "  ".repeat(depth), symbol.kind.as_str(), symbol.name);
        print(&node.children, depth + 1, text);
    }
}
