import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { assert } from 'chai'
import ts from 'typescript'
import { LANGUAGES } from '../../../core/kernel/language.js'
import { english } from '../../../adapters/console/texts/en/catalogue.js'

const FOLDER = 'adapters/console'
/** The only folder with English. */
const TEXTS = 'texts'
/** The style sheet with its tokens and the script, which have none. */
const OTHERS: ReadonlyArray<string> = [
  'style.ts', 'batch-style.ts', 'palette-style.ts', 'statement-style.ts', 'tokens.ts', 'client.ts', 'palette-client.ts',
]

/** Attributes, and fields of a page, that people see or that a screen reader reads out. */
const READ = new Set([
  'aria-label', 'aria-description', 'aria-roledescription', 'alt', 'columns', 'data-label', 'hint', 'label', 'placeholder', 'problem',
  'sentence', 'summary', 'text', 'title',
])

const hasLetters = (text: string): boolean => /\p{L}/u.test(text)

/** A text of several words, as no name of a class, a header or a tag has them. */
const isSentence = (text: string): boolean => /^\p{Lu}\p{Ll}+ \p{L}/u.test(text) || /\p{L}{2} \p{Ll}{2,} \p{L}/u.test(text)

const COMBINES = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken, ts.SyntaxKind.PlusToken,
])

/** The literals that an expression may come to: those of both branches, but none that is compared or given to a function. */
const literalsOf = (node: ts.Node): ReadonlyArray<ts.Node & { readonly text: string }> => {
  if (ts.isStringLiteralLike(node)) return [node]
  if (ts.isTemplateExpression(node)) {
    return [node.head, ...node.templateSpans.flatMap(({ expression, literal }) => [...literalsOf(expression), literal])]
  }
  if (ts.isConditionalExpression(node)) return [...literalsOf(node.whenTrue), ...literalsOf(node.whenFalse)]
  if (ts.isBinaryExpression(node) && COMBINES.has(node.operatorToken.kind)) return [...literalsOf(node.left), ...literalsOf(node.right)]
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(literalsOf)
  if (ts.isParenthesizedExpression(node) || ts.isSpreadElement(node) || ts.isAsExpression(node)) return literalsOf(node.expression)
  return ts.isJsxExpression(node) && node.expression !== undefined ? literalsOf(node.expression) : []
}

const treeOf = (file: string, source: string): ts.SourceFile =>
  ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS)

/** What stands in a file for people to read, with its line. */
const englishIn = (file: string, source: string): ReadonlyArray<string> => {
  const tree = treeOf(file, source)
  const found = new Map<ts.Node, string>()
  const note = (node: ts.Node, text: string): void => {
    found.set(node, `${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${text.trim()}`)
  }
  const noteLiterals = (node: ts.Node): void => {
    for (const literal of literalsOf(node)) if (hasLetters(literal.text)) note(literal, literal.text)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || isForTheLog(node)) return
    if (ts.isJsxText(node) && hasLetters(node.text)) note(node, node.text)
    if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent) && !isCode(node.parent)) noteLiterals(node)
    if (ts.isJsxAttribute(node) && READ.has(node.name.getText()) && node.initializer !== undefined) noteLiterals(node.initializer)
    if (ts.isPropertyAssignment(node) && READ.has(nameOf(node.name))) noteLiterals(node.initializer)
    // A component whose element is named at run time: its texts follow the attributes.
    if (ts.isCallExpression(node) && node.expression.getText() === 'h') node.arguments.slice(2).forEach(noteLiterals)
    if ((ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) && isSentence(node.text)) {
      note(node, node.text)
    }
    node.forEachChild(visit)
  }
  visit(tree)
  return [...found.values()]
}

const isGroup = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The texts that a file takes out of the catalogue when it is loaded, before any request has a language. A group of texts may be taken, since it is read later. */
const takenAtLoad = (file: string, source: string): ReadonlyArray<string> => {
  const tree = treeOf(file, source)
  const groups = new Map<string, unknown>([['TEXTS', english]])
  const found: Array<string> = []
  const valueOf = (node: ts.Expression): unknown => {
    if (ts.isIdentifier(node)) return groups.get(node.text)
    const group = ts.isPropertyAccessExpression(node) ? valueOf(node.expression) : undefined
    return isGroup(group) && ts.isPropertyAccessExpression(node) ? group[node.name.text] : undefined
  }
  const bind = (name: ts.BindingName, value: unknown): void => {
    if (value === undefined) return
    if (ts.isIdentifier(name)) {
      if (isGroup(value)) groups.set(name.text, value)
      else found.push(`${file}: ${name.text}`)
    } else if (isGroup(value) && ts.isObjectBindingPattern(name)) {
      for (const { propertyName, name: inner } of name.elements) bind(inner, value[(propertyName ?? inner).getText()])
    }
  }
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) || ts.isTypeNode(node)) return
    if (ts.isVariableDeclaration(node) && node.initializer !== undefined && valueOf(node.initializer) !== undefined) {
      return bind(node.name, valueOf(node.initializer))
    }
    const value = ts.isPropertyAccessExpression(node) ? valueOf(node) : undefined
    if (value !== undefined && !isGroup(value)) found.push(`${file}: ${node.getText()}`)
    node.forEachChild(visit)
  }
  visit(tree)
  return found
}

/** Commands and addresses are the same in every language. */
const isCode = (node: ts.Node): boolean => ts.isJsxElement(node) && ['code', 'pre'].includes(node.openingElement.tagName.getText())

/** The reason of an error that is thrown stands in the log, and on no page. */
const isForTheLog = (node: ts.Node): boolean => ts.isNewExpression(node) && node.expression.getText() === 'Error'

const nameOf = (name: ts.PropertyName): string => (ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? name.text : name.getText())

const files = (): ReadonlyArray<string> =>
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file) && !file.startsWith(`${TEXTS}${sep}`) && !OTHERS.includes(file))

describe('the English of the console', () => {
  it('stands in the folder of texts, and nowhere else', () => {
    assert.isAbove(files().length, 40)
    assert.deepEqual(files().flatMap((file) => englishIn(file, readFileSync(join(FOLDER, file), 'utf8'))), [])
  })

  it('is in no second folder of texts, and joined in one file for each language', () => {
    assert.sameMembers(readdirSync(FOLDER).filter((file) => file.startsWith(TEXTS)), [TEXTS, 'texts.ts'])
    const joined = readFileSync(join(FOLDER, 'texts.ts'), 'utf8')
    for (const language of LANGUAGES) {
      assert.include(joined, `'./texts/${language}/catalogue.js'`)
      const parts = readFileSync(join(FOLDER, TEXTS, language, 'catalogue.ts'), 'utf8')
      const isJoined = (file: string): boolean =>
        file === 'catalogue.ts' || file === 'reasons.ts' || parts.includes(`'./${file.replace(/ts$/, 'js')}'`)
      assert.deepEqual(readdirSync(join(FOLDER, TEXTS, language)).filter((file) => !isJoined(file)), [])
    }
  })

  it('is taken out of the catalogue by no file that is loaded, which would speak it in every language', () => {
    assert.deepEqual(files().flatMap((file) => takenAtLoad(file, readFileSync(join(FOLDER, file), 'utf8'))), [])
    const planted = [
      'const { wallet: texts, sections } = TEXTS', 'const { send: { shown, to } } = TEXTS', 'const label = texts.balance',
      'const table = { title: TEXTS.wallet.held }', 'const name = texts.statementOf(first, last)', 'const { problems } = TEXTS.send',
      'const { missing } = problems', 'const later = () => texts.balance', 'const entry = { get text() { return sections.send } }',
      'const made = perLanguage(() => [texts.held])',
    ].join('\n')
    assert.deepEqual(
      takenAtLoad('planted.ts', planted),
      ['to', 'label', 'TEXTS.wallet.held', 'texts.statementOf', 'missing'].map((text) => `planted.ts: ${text}`),
    )
  })

  const PLANTED: ReadonlyArray<readonly [where: string, source: string, found: ReadonlyArray<string>]> = [
    ['the text of an element', '<p>Welcome</p>', ['Welcome']],
    ['an element in a page', "const page = { content: <><h1>{title}</h1><p>of {name}</p></> }", ['of']],
    ['an expression', "<p>{isNew ? 'new' : texts.old}</p>", ['new']],
    ['a template in an expression', '<p>{`${count} messages`}</p>', ['messages']],
    ['what follows a condition', "<p>{isOperator && 'operator'}</p>", ['operator']],
    ['aria-label', '<nav aria-label="Console" />', ['Console']],
    ['aria-label as a template', '<a aria-label={`Open ${name}`} />', ['Open']],
    ['title', '<abbr title="now" />', ['now']],
    ['placeholder', "<input placeholder={'name'} />", ['name']],
    ['the label of a component', '<Field label="Email" />', ['Email']],
    ['the columns of a table', "<Table columns={[texts.at, 'Who']} />", ['Who']],
    ['the title of a page', "const page = { title: name === undefined ? 'Members' : texts.of(name) }", ['Members']],
    ['what is wrong with a form', "show({ problem: 'Missing' })", ['Missing']],
    ['an argument', "signInPage(path, 'It was refused.')", ['It was refused.']],
    ['an element that is named at run time', "h(TH, { scope: 'col' }, 'Total')", ['Total']],
  ]
  for (const [where, source, expected] of PLANTED) {
    it(`is found in ${where}`, () => {
      assert.deepEqual(englishIn('planted.tsx', source), expected.map((text) => `planted.tsx:1 ${text}`))
    })
  }

  it('is not taken for what no person reads', () => {
    const source = [
      'import { x } from "some long module"', "type Tag = 'Some long tag'", "<p class=\"note bad\" role=\"alert\">{texts.none} · 1</p>",
      "<a href={`/console/${id}`} />", "<code>{`${origin}/console/link/${token}`}</code>",
      "<p>{isAllowed(principal, 'member.view') && kind === 'Text' && texts.a}</p>", "throw new Error('The list could not be read.')",
    ].join('\n')
    assert.deepEqual(englishIn('planted.tsx', source), [])
  })
})
