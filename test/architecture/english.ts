import ts from 'typescript'

/** The banned words of pages, comments and texts, each with its replacement. Code is exempt. */
export const BANNED: ReadonlyArray<readonly [pattern: RegExp, write: string]> = [
  [/\b[Ff]or ever\b/, 'forever; indefinitely; permanently'],
  [/\b(is|are|too) dear\b|\bdearest\b/, 'expensive; highest first'],
  [/\botherwise than\b/, 'differently from'],
  [/\bof late\b(?!\))/, 'recently'],
  [/\bheeded\b/, 'applied'],
  [/\bamid\b/, 'inside; in the middle of'],
  [/\b[Tt]ime line\b/, 'timeline'],
  [/\bthrice\b/, 'three times'],
  [/\bas ever\b/, 'as before; unchanged'],
  [/\bmend(s|ed)?\b/, 'fix; repair'],
  [/\b[Aa]new\b/, 'again; a new …'],
  [/\b[Oo]nce more\b/, 'again'],
  [/\b[Ff]or good\b/, 'permanently'],
  [/\b[Aa]ll the same\b/, 'anyway; still'],
  [/\b[Ii]n the place of\b/, 'instead of; replaces'],
  [/\b(goes|go|went) twice\b/, 'is sent twice'],
  [/\b(may|might|can|could)( or may not)? have gone\b(?! wrong)/, 'may have been sent'],
  [/\b(shown|print it|print them|printed|events), this once\b|\b(shown|secret|it|them,) this once\b/, 'only once'],
  [/\b[Ww]hat (came|comes|come|became|becomes) of\b/, 'the result of; the status of'],
  [/\bas (it|they) came\b/, 'unchanged; raw'],
  [
    /(?<![Tt]here )\b(is|are) no (JSON|phone number|list|failure|error|string|array|fault|event|address|type|text|number|id|cursor|act|template|object|key|category|time|message|form|boolean|request|word|character)\b/,
    'is not a(n)',
  ],
  [/\b(somebody|Somebody|Nobody)\b/, 'the actor: the caller, the operator, no client'],
]

/** The prose of a page: without code, and without test titles in quotation marks. */
export const proseOf = (page: string): string =>
  page.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '`…`').replace(/<!--[\s\S]*?-->/g, '').replace(/"[^"]{1,400}"/g, '"…"')

/** The comments of a source, each on its line. Code and names in backticks are omitted. */
export const commentsOf = (source: string): string =>
  source.split('\n').map((line) => /^\s*(?:\/\/|\/?\*)(.*)$/.exec(line)?.[1] ?? / \/\/ (.*)$/.exec(line)?.[1] ?? '').join('\n')
    .replace(/`[^`\n]*`/g, '`…`')

/**
 * The texts of a source, each on its line: strings that contain a space. A template string is one text, in which each value is an ellipsis. Strings without a space
 * are names, and a message of a test is not a text.
 */
export const textsOf = (source: string): string => {
  const lines = source.split('\n').map(() => '')
  const file = ts.createSourceFile('source.tsx', source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)
  const visit = (node: ts.Node): void => {
    const text = textOf(node)
    const { line } = file.getLineAndCharacterOfPosition(node.getStart())
    if (text?.trim().includes(' ')) lines[line] = `${lines[line] ?? ""} ${text.replace(/\s+/g, " ")}`
    ts.forEachChild(node, visit)
  }
  visit(file)
  return lines.join('\n').replace(/`[^`\n]*`/g, '`…`')
}

const textOf = (node: ts.Node): string | undefined => {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return node.text
  return ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(({ literal }) => `…${literal.text}`)].join('')
    : undefined
}

/** The banned words in a text, each with its line and its replacement. */
export const bannedIn = (text: string): ReadonlyArray<string> =>
  text.split('\n').flatMap((line, index) => BANNED.flatMap(([pattern, write]) => {
    const found = pattern.exec(line)?.[0]
    return found === undefined ? [] : [`${index + 1}: "${found}", write: ${write}`]
  }))
