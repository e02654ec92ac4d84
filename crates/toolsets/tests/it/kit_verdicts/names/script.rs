//! JavaScript and TypeScript.

use super::{Case, case};

const MODEL: &str = "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n";
const PAGE: &str = "export function renderPage() {}\nexport function keep() {}\n";
const MODEL_WITHOUT_COMPUTE: &str = "export interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n";

pub(super) const CASES: &[Case] = &[
    case(
        "ts index.ts, other source",
        &[
            ("src/index.ts", PAGE),
            (
                "src/use.ts",
                "import { renderPage } from './pages';\nimport { keep } from './index';\nrenderPage(keep());\n",
            ),
            ("src/pages.ts", "export { renderPage } from 'lib';\n"),
        ],
        &[("src/index.ts", Some("export function keep() {}\n"))],
        "",
    ),
    case(
        "ts lib.ts",
        &[
            ("src/lib.ts", PAGE),
            (
                "src/use.ts",
                "import { renderPage } from '../other/lib';\nimport { keep } from './lib';\nrenderPage(keep());\n",
            ),
            ("other/lib.ts", "export * from 'react-lib';\n"),
        ],
        &[("src/lib.ts", Some("export function keep() {}\n"))],
        "",
    ),
    case(
        "ts suffix",
        &[
            ("src/age.ts", PAGE),
            (
                "src/use.ts",
                "import { renderPage } from './page';\nimport { keep } from './age';\nrenderPage(keep());\n",
            ),
            ("src/page.ts", "export * from 'x';\n"),
        ],
        &[("src/age.ts", Some("export function keep() {}\n"))],
        "",
    ),
    case(
        "ts index by directory",
        &[
            ("src/ui/index.ts", PAGE),
            ("src/use.ts", "import { renderPage } from './ui';\nrenderPage();\n"),
        ],
        &[("src/ui/index.ts", Some("export function keep() {}\n"))],
        "`renderPage` is gone and still used: src/use.ts:1, src/use.ts:2",
    ),
    case(
        "ts by .js",
        &[
            ("src/ui.ts", PAGE),
            ("src/use.ts", "import { renderPage } from './ui.js';\nrenderPage();\n"),
        ],
        &[("src/ui.ts", Some("export function keep() {}\n"))],
        "`renderPage` is gone and still used: src/use.ts:1, src/use.ts:2",
    ),
    case(
        "ts barrel",
        &[
            ("src/ui.ts", PAGE),
            ("src/use.ts", "import { renderPage } from '.';\nrenderPage();\n"),
            ("src/index.ts", "export * from './ui';\n"),
        ],
        &[("src/ui.ts", Some("export function keep() {}\n"))],
        "`renderPage` is gone and still used: src/use.ts:1, src/use.ts:2",
    ),
    case(
        "ts namespace",
        &[("src/ui.ts", PAGE), ("src/use.ts", "import * as sm from './ui';\nsm.renderPage();\n")],
        &[("src/ui.ts", Some("export function keep() {}\n"))],
        "`renderPage` is gone and still used: src/use.ts:2",
    ),
    case(
        "ts namespace of other",
        &[
            ("src/ui.ts", PAGE),
            (
                "src/use.ts",
                "import * as sm from './vi';\nimport { keep } from './ui';\nsm.renderPage(keep());\n",
            ),
            ("src/vi.ts", "export * from 'q';\n"),
        ],
        &[("src/ui.ts", Some("export function keep() {}\n"))],
        "",
    ),
    case(
        "ts destructured parameter",
        &[
            ("src/ui.ts", PAGE),
            (
                "src/use.ts",
                "import { keep } from './ui';\nexport function f({ renderPage, a = keep }: P) {\n  renderPage(a());\n}\nexport const g = ([renderPage]) => renderPage(keep);\n",
            ),
        ],
        &[("src/ui.ts", Some("export function keep() {}\n"))],
        "",
    ),
    case(
        "ts catch and loop",
        &[
            ("src/ui.ts", PAGE),
            (
                "src/use.ts",
                "import { keep } from './ui';\nexport function f(xs) {\n  for (const renderPage of xs) renderPage(keep);\n  try { keep(); } catch (renderPage) { throw renderPage; }\n}\n",
            ),
        ],
        &[("src/ui.ts", Some("export function keep() {}\n"))],
        "",
    ),
    case(
        "ts object key",
        &[
            ("src/ui.ts", PAGE),
            (
                "src/use.ts",
                "import { keep } from './ui';\nexport const o = { renderPage: keep };\no.renderPage();\n",
            ),
        ],
        &[("src/ui.ts", Some("export function keep() {}\n"))],
        "",
    ),
    case(
        "ts alias path",
        &[
            ("src/ui.ts", PAGE),
            ("app/use.ts", "import { renderPage } from '@/ui';\nrenderPage();\n"),
        ],
        &[("src/ui.ts", Some("export function keep() {}\n"))],
        "`renderPage` is gone and still used: app/use.ts:1, app/use.ts:2",
    ),
    case(
        "ts require destructured",
        &[
            (
                "src/ui.js",
                "function renderPage() {}\nfunction keep() {}\nmodule.exports = { renderPage, keep };\n",
            ),
            ("src/use.js", "const { renderPage } = require('./ui');\nrenderPage();\n"),
        ],
        &[("src/ui.js", Some("function keep() {}\nmodule.exports = { keep };\n"))],
        "`renderPage` is gone and still used: src/use.js:1, src/use.js:2",
    ),
    case(
        "ts a.ts moved",
        &[
            ("src/a.ts", "export const x1 = 1;\n"),
            ("src/u.ts", "import { x1 } from './a';\nx1;\n"),
            ("other/a.ts", "export const x1 = 2;\n"),
            ("other/u.ts", "import { x1 } from './a';\nx1;\n"),
        ],
        &[("src/a.ts", None), ("src/b.ts", Some("export const x1 = 1;\n"))],
        "`src/a.ts` is gone and still used: src/u.ts:1",
    ),
    case(
        "ts index moved",
        &[
            ("src/ui/index.ts", "export const x1 = 1;\n"),
            ("src/u.ts", "import { x1 } from './ui';\nx1;\n"),
        ],
        &[("src/ui/index.ts", None), ("src/ui/main.ts", Some("export const x1 = 1;\n"))],
        "`src/ui/index.ts` is gone and still used: src/u.ts:1",
    ),
    case(
        "ts ui.ts to ui/index.ts",
        &[
            ("src/ui.ts", "export const x1 = 1;\n"),
            ("src/u.ts", "import { x1 } from './ui';\nx1;\n"),
        ],
        &[("src/ui.ts", None), ("src/ui/index.ts", Some("export const x1 = 1;\n"))],
        "",
    ),
    case(
        "ts import removed",
        &[(
            "a.ts",
            "import { join } from 'path';\nimport { readFile } from 'fs';\nreadFile(join('a'));\n",
        )],
        &[("a.ts", Some("import { readFile } from 'fs';\nreadFile(join('a'));\n"))],
        "`join` is no longer imported and still used: a.ts:2",
    ),
    case(
        "ts type import removed",
        &[(
            "a.tsx",
            "import { Props } from './p';\nimport { Box } from './b';\nexport const A = (p: Props) => <Box a={p} />;\n",
        )],
        &[(
            "a.tsx",
            Some("import { Box } from './b';\nexport const A = (p: Props) => <Box a={p} />;\n"),
        )],
        "`Props` is no longer imported and still used: a.tsx:2",
    ),
    case(
        "tsx component import removed",
        &[(
            "a.tsx",
            "import { Box } from './b';\nimport { x } from './p';\nexport const A = () => <Box a={x} />;\n",
        )],
        &[("a.tsx", Some("import { x } from './p';\nexport const A = () => <Box a={x} />;\n"))],
        "`Box` is no longer imported and still used: a.tsx:2",
    ),
    case(
        "js global import removed",
        &[(
            "a.js",
            "import { URL } from 'url';\nimport a from 'a';\na(new URL('x'), { url: 1 });\n",
        )],
        &[("a.js", Some("import a from 'a';\na(new URL('x'), { url: 1 });\n"))],
        "",
    ),
    case(
        "ts default import other name",
        &[("src/u.ts", MODEL), ("src/m.ts", "import compute from './u';\ncompute();\n")],
        &[("src/u.ts", Some(MODEL_WITHOUT_COMPUTE))],
        "",
    ),
    case(
        "ts renamed import",
        &[
            ("src/u.ts", MODEL),
            (
                "src/m.ts",
                "import { compute as c } from './u';\nc(1);\nconst compute = 2;\nf(compute);\n",
            ),
        ],
        &[("src/u.ts", Some(MODEL_WITHOUT_COMPUTE))],
        "",
    ),
    case(
        "ts renamed import 2",
        &[("src/u.ts", MODEL), ("src/m.ts", "import { compute as c } from './u';\nc(1);\n")],
        &[("src/u.ts", Some(MODEL_WITHOUT_COMPUTE))],
        "`compute` is gone and still used: src/m.ts:1",
    ),
    case(
        "ts type only",
        &[
            ("src/u.ts", MODEL),
            (
                "src/m.ts",
                "import type { Item } from './u';\nlet a: Item[] = [];\ntype X<Item2> = Item;\n",
            ),
        ],
        &[(
            "src/u.ts",
            Some(
                "export function compute(x: number) {\n  return x;\n}\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "`Item` is gone and still used: src/m.ts:1, src/m.ts:2, src/m.ts:3",
    ),
    case(
        "ts type parameter",
        &[
            ("src/u.ts", MODEL),
            (
                "src/m.ts",
                "import { LIMIT } from './u';\nfunction f<Item>(x: Item): Item { return x; }\nf(LIMIT);\n",
            ),
        ],
        &[(
            "src/u.ts",
            Some(
                "export function compute(x: number) {\n  return x;\n}\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "",
    ),
    case(
        "ts other interface method",
        &[
            ("src/u.ts", MODEL),
            (
                "src/m.ts",
                "import { Shape } from './u';\nimport { Board } from 'b';\nexport function f(b: Board, s: Shape) { b.drawAll(); }\n",
            ),
        ],
        &[(
            "src/u.ts",
            Some(
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "",
    ),
    case(
        "ts this in object",
        &[
            ("src/u.ts", MODEL),
            (
                "src/m.ts",
                "import { Shape } from './u';\nexport class V extends Other { f(s: Shape) { this.drawAll(); } }\n",
            ),
        ],
        &[(
            "src/u.ts",
            Some(
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "",
    ),
    case(
        "ts subclass",
        &[
            ("src/u.ts", MODEL),
            (
                "src/m.ts",
                "import { Shape } from './u';\nexport class V extends Shape { f() { this.drawAll(); } }\n",
            ),
        ],
        &[(
            "src/u.ts",
            Some(
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "`Shape.drawAll` is gone and still used: src/m.ts:2",
    ),
    case(
        "ts new chain",
        &[
            ("src/u.ts", MODEL),
            (
                "src/m.ts",
                "import { Shape } from './u';\nnew Shape().drawAll();\nnew Shape()\n  .drawAll();\n",
            ),
        ],
        &[(
            "src/u.ts",
            Some(
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "`Shape.drawAll` is gone and still used: src/m.ts:2, src/m.ts:4",
    ),
    case(
        "ts barrel named",
        &[
            ("src/u.ts", MODEL),
            ("src/index.ts", "export { compute } from './u';\n"),
            ("app/m.ts", "import { compute } from '../src';\ncompute(1);\n"),
        ],
        &[("src/u.ts", Some(MODEL_WITHOUT_COMPUTE))],
        "`compute` is gone and still used: app/m.ts:1, app/m.ts:2, src/index.ts:1",
    ),
    case(
        "ts package of the name",
        &[
            ("src/u.ts", MODEL),
            (
                "src/m.ts",
                "import { compute } from 'u';\nimport { LIMIT } from './u';\ncompute(LIMIT);\n",
            ),
        ],
        &[("src/u.ts", Some(MODEL_WITHOUT_COMPUTE))],
        "",
    ),
    case(
        "ts var hoisted local",
        &[
            ("src/u.ts", MODEL),
            (
                "src/m.ts",
                "import { LIMIT } from './u';\nfunction f() { compute = 1; var compute; return compute + LIMIT; }\n",
            ),
        ],
        &[("src/u.ts", Some(MODEL_WITHOUT_COMPUTE))],
        "",
    ),
    case(
        "ts object shorthand",
        &[
            ("src/u.ts", MODEL),
            ("src/m.ts", "import { compute } from './u';\nexport default { compute };\n"),
        ],
        &[("src/u.ts", Some(MODEL_WITHOUT_COMPUTE))],
        "`compute` is gone and still used: src/m.ts:1, src/m.ts:2",
    ),
    case(
        "ts import lost but global declared",
        &[
            (
                "src/m.ts",
                "import { Item } from './u';\nimport { b } from './v';\nlet a: Item = b;\n",
            ),
            ("src/u.ts", MODEL),
        ],
        &[(
            "src/m.ts",
            Some("import { b } from './v';\ndeclare const Item: any;\nlet a: Item = b;\n"),
        )],
        "",
    ),
    case(
        "ts import lost, member only",
        &[(
            "src/m.ts",
            "import { join } from 'path';\nimport { a } from './v';\na.join(',');\nconst x = { join: 1 };\n",
        )],
        &[("src/m.ts", Some("import { a } from './v';\na.join(',');\nconst x = { join: 1 };\n"))],
        "",
    ),
    case(
        "ts import lost, default kept",
        &[("src/m.ts", "import React, { useState } from 'react';\nconst a = useState(React.x);\n")],
        &[("src/m.ts", Some("import React from 'react';\nconst a = useState(React.x);\n"))],
        "`useState` is no longer imported and still used: src/m.ts:2",
    ),
    case(
        "ts: a definition becomes a re-export",
        &[
            ("a.ts", "export function take() {}\nexport function keep() {}\n"),
            ("b.ts", "import { take } from \"./a\";\ntake();\n"),
            ("c.ts", "export function take() {}\nexport function get2() {}\n"),
        ],
        &[("a.ts", Some("export { take } from \"./c\";\nexport function keep() {}\n"))],
        "",
    ),
    case(
        "ts: a definition becomes a re-export under its name",
        &[
            ("a.ts", "export function take() {}\nexport function keep() {}\n"),
            ("b.ts", "import { take } from \"./a\";\ntake();\n"),
            ("c.ts", "export function take() {}\nexport function get2() {}\n"),
        ],
        &[("a.ts", Some("export { get2 as take } from \"./c\";\nexport function keep() {}\n"))],
        "",
    ),
    case(
        "ts: a definition becomes all of a module",
        &[
            ("a.ts", "export function take() {}\nexport function keep() {}\n"),
            ("b.ts", "import { take } from \"./a\";\ntake();\n"),
            ("c.ts", "export function take() {}\nexport function get2() {}\n"),
        ],
        &[("a.ts", Some("export * from \"./c\";\nexport function keep() {}\n"))],
        "",
    ),
    case(
        "ts: a definition is exported under its name",
        &[
            ("a.ts", "export function take() {}\nexport function keep() {}\n"),
            ("b.ts", "import { take } from \"./a\";\ntake();\n"),
            ("c.ts", "export function take() {}\nexport function get2() {}\n"),
        ],
        &[(
            "a.ts",
            Some("const q = () => {};\nexport { q as take };\nexport function keep() {}\n"),
        )],
        "",
    ),
];
