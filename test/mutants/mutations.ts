import { createHash } from 'node:crypto'
import ts from 'typescript'

/** A file of the core with one place changed. */
export type Mutant = {
  readonly file: string
  readonly line: number
  readonly rule: Rule
  /** The lines of the place as they are, and as they become. */
  readonly was: string
  readonly becomes: string
  /** The whole text of the file with the change. */
  readonly text: string
}

/** What is changed by which kind of rule. */
export type Rule = 'comparison' | 'condition' | 'state' | 'constant' | 'arithmetic' | 'step' | 'part'

/** Words of which one may stand where another stands. */
const FAMILIES: ReadonlyArray<ReadonlyArray<string>> = [
  ['pending', 'accepted', 'refused', 'unconfirmed', 'released', 'sent', 'delivered', 'read', 'failed'],
  ['held', 'released', 'captured', 'refunded'],
  ['keep', 'capture', 'release', 'refund'],
  ['service', 'utility', 'marketing', 'authentication'],
]

type Change = { readonly rule: Rule; readonly from: number; readonly to: number; readonly by: string }

/** Every mutant of a file, in the order of its places. */
export const mutantsOf = (file: string, text: string): ReadonlyArray<Mutant> => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const changes: Change[] = []
  const visit = (node: ts.Node): void => {
    // Types are gone when the code runs.
    if (ts.isTypeNode(node) || ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) return
    changes.push(...changesOf(node))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return changes.map((change) => mutantBy(file, text, change))
}

const mutantBy = (file: string, text: string, { rule, from, to, by }: Change): Mutant => {
  const begin = text.lastIndexOf('\n', from - 1) + 1
  const newline = text.indexOf('\n', to)
  const end = newline === -1 ? text.length : newline
  return {
    file, rule,
    line: text.slice(0, from).split('\n').length,
    was: inOneLine(text.slice(begin, end)),
    becomes: inOneLine(text.slice(begin, from) + by + text.slice(to, end)),
    text: text.slice(0, from) + by + text.slice(to),
  }
}

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const changesOf = (node: ts.Node): ReadonlyArray<Change> => {
  const at = (rule: Rule, replaced: ts.Node, by: string): Change => ({ rule, from: replaced.getStart(), to: replaced.getEnd(), by })
  if (ts.isBinaryExpression(node)) return operatorsFor(node).map(([rule, by]) => at(rule, node.operatorToken, by))
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return [at('condition', node, node.operand.getText())]
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [at('condition', node, 'false')]
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [at('condition', node, 'true')]
  if (ts.isConditionalExpression(node)) return [at('condition', node.condition, `!(${node.condition.getText()})`)]
  if (ts.isStringLiteral(node)) {
    return FAMILIES.filter((words) => words.includes(node.text)).map((words) => at('state', node, `'${nextOf(words, node.text)}'`))
  }
  if (ts.isNumericLiteral(node)) return [at('constant', node, String(Number(node.getText().replaceAll('_', '')) + 1))]
  if (ts.isBigIntLiteral(node)) return [at('constant', node, `${BigInt(node.getText().slice(0, -1).replaceAll('_', '')) + 1n}n`)]
  if (ts.isIfStatement(node) && node.elseStatement === undefined) return [at('step', node, '')]
  if (ts.isExpressionStatement(node)) return [at('step', node, ';')]
  if (ts.isSpreadAssignment(node)) return [at('part', node, '...{}')]
  if (ts.isSpreadElement(node)) return [at('part', node, '...[]')]
  if (ts.isArrayLiteralExpression(node)) {
    return node.elements.map((element) => at('part', element, '...[]')).filter(({ by }, index) => node.elements[index]?.getText() !== by)
  }
  return ts.isCallExpression(node) ? callsFor(node).map(([replaced, by]) => at('part', replaced, by)) : []
}

/** The operators that replace an operator: a comparison is shifted by one, or reversed. */
const OPERATORS: ReadonlyMap<
  ts.SyntaxKind, ReadonlyArray<readonly [Rule, string]>
> = new Map<ts.SyntaxKind, ReadonlyArray<readonly [Rule, string]>>(
  [
    [ts.SyntaxKind.LessThanToken, [['comparison', '<='], ['comparison', '>=']]],
    [ts.SyntaxKind.LessThanEqualsToken, [['comparison', '<'], ['comparison', '>']]],
    [ts.SyntaxKind.GreaterThanToken, [['comparison', '>='], ['comparison', '<=']]],
    [ts.SyntaxKind.GreaterThanEqualsToken, [['comparison', '>'], ['comparison', '<']]],
    [ts.SyntaxKind.EqualsEqualsEqualsToken, [['comparison', '!==']]],
    [ts.SyntaxKind.ExclamationEqualsEqualsToken, [['comparison', '===']]],
    [ts.SyntaxKind.AmpersandAmpersandToken, [['condition', '||']]],
    [ts.SyntaxKind.BarBarToken, [['condition', '&&']]],
    [ts.SyntaxKind.PlusToken, [['arithmetic', '-']]],
    [ts.SyntaxKind.MinusToken, [['arithmetic', '+']]],
    [ts.SyntaxKind.AsteriskToken, [['arithmetic', '/']]],
    [ts.SyntaxKind.SlashToken, [['arithmetic', '*']]],
    [ts.SyntaxKind.PlusEqualsToken, [['arithmetic', '-=']]],
  ],
)

const operatorsFor = ({ operatorToken: { kind }, left, right }: ts.BinaryExpression): ReadonlyArray<readonly [Rule, string]> =>
  kind === ts.SyntaxKind.PlusToken && [left, right].some(isText) ? [] : OPERATORS.get(kind) ?? []

const isText = (node: ts.Expression): boolean =>
  ts.isStringLiteral(node) || ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node)

const callsFor = ({ expression }: ts.CallExpression): ReadonlyArray<readonly [ts.Node, string]> => {
  if (!ts.isPropertyAccessExpression(expression)) return []
  const by = OTHER_METHODS.get(expression.name.text)
  return by === undefined ? [] : [[expression.name, by]]
}

const OTHER_METHODS: ReadonlyMap<string, string> = new Map([
  ['some', 'every'], ['every', 'some'], ['min', 'max'], ['max', 'min'],
  ['isLeft', 'isRight'], ['isSome', 'isNone'], ['isNone', 'isSome'],
])

const nextOf = (words: ReadonlyArray<string>, word: string): string => words[(words.indexOf(word) + 1) % words.length] ?? word

/**
 * Chooses so many mutants by a seed: as many of each concept as there are, and within a concept of each rule. What a change elsewhere in a file moves is chosen all
 * the same.
 */
export const chooseMutants = (mutants: ReadonlyArray<Mutant>, seed: number, count: number): ReadonlyArray<Mutant> => {
  const shuffled = [...mutants].sort((one, other) => (rankOf(one, seed) < rankOf(other, seed) ? -1 : 1))
  const turns = new Map<string, number>()
  const turnOf = (group: string): number => {
    const turn = turns.get(group) ?? 0
    turns.set(group, turn + 1)
    return turn
  }
  const conceptOf = ({ file }: Mutant): string => file.split('/').slice(0, 2).join('/')
  const byRule = shuffled.map((mutant) => ({ mutant, turn: turnOf(`${conceptOf(mutant)} ${mutant.rule}`) }))
    .sort((one, other) => one.turn - other.turn)
  const byConcept = byRule.map(({ mutant }) => ({ mutant, turn: turnOf(conceptOf(mutant)) })).sort((one, other) => one.turn - other.turn)
  return byConcept.slice(0, count).map(({ mutant }) => mutant)
}

const rankOf = ({ file, was, becomes, line }: Mutant, seed: number): string =>
  createHash('sha256').update(JSON.stringify([seed, file, was, becomes])).digest('hex') + String(line).padStart(5, '0')
