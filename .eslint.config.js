import tseslint from 'typescript-eslint'

const RULE_0001 = 'See docs/decisions/0001.'

const OLD_NAMES = [
  {
    selector: 'MemberExpression[property.name=/^(chain|fold)([A-Z]|$)/]',
    message: 'Modern names only: flatMap, tap, tapError, match instead of chain… and fold….',
  },
  {
    selector: 'ImportDeclaration[source.value=/^fp-ts/] ImportSpecifier[imported.name=/^(chain|fold)([A-Z]|$)/]',
    message: 'Modern names only: flatMap, tap, tapError, match instead of chain… and fold….',
  },
]

const EVERYWHERE = [
  ...OLD_NAMES,
  {
    selector: 'TSAsExpression > TSAsExpression[typeAnnotation.type="TSUnknownKeyword"]',
    message: 'A cast by way of unknown silences the compiler: parse the value, or give it a type guard.',
  },
]

const NO_BARRELS = {
  selector: 'ExportAllDeclaration',
  message: 'Only a published index.ts re-exports everything; elsewhere import the file you mean.',
}

const PURE = [
  { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: `Time is an argument, or WindowClock.now. ${RULE_0001}` },
  { selector: 'CallExpression[callee.name="Date"]', message: `Time is an argument, or WindowClock.now. ${RULE_0001}` },
  { selector: 'ClassDeclaration, ClassExpression', message: 'Functions and records: nothing in core is a class.' },
]

const FP_TS_PATHS = [
  {
    regex: '^fp-ts(?!/lib/\\w+\\.js$)',
    message: "Write 'fp-ts/lib/X.js': the short path type-checks and fails in native ESM. See docs/decisions/0010.",
  },
  {
    regex: '^io-ts/(?!lib/\\w+\\.js$)',
    message: "Write 'io-ts/lib/X.js': the short path type-checks and fails in native ESM. See docs/decisions/0010.",
  },
]

const OWN_BARREL = {
  regex: '^\\.{1,2}/([^/]+/)*index\\.js$',
  message: 'index.ts is for those outside; in here, import the file you mean.',
}

const HIDDEN_INPUTS = [
  { object: 'Date', property: 'now', message: `Time is an argument, or WindowClock.now. ${RULE_0001}` },
  { object: 'Math', property: 'random', message: `Chance is an argument, or behind a port. ${RULE_0001}` },
]

const AMBIENT = ['process', 'console', 'Buffer', 'crypto', 'performance', 'fetch', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']

const COLUMNS = 140

/** A text of this length may end a line beyond the limit. */
const TEXT_LENGTH = 40

/** What may follow such a text: the ends of its expression, a call of a method, or the head of a function. */
const ENDS = /^(?:[)\]}>;,\s`]|\.\w+\(|'[^']{0,4}'|(?:async )?\([\w, {}]*\) => [({]*|\/>|<\/\w*>| as const)*$/

/** A line of code has at most 140 columns. Comments, and long texts that end a line, may go beyond. */
const codeWidth = {
  meta: { type: 'layout', schema: [], messages: { wide: `A line of code has at most ${COLUMNS} columns: break it at its outermost list or operator.` } },
  create: (context) => {
    const { sourceCode } = context
    const texts = []
    const note = ({ range: [from, to] }) => texts.push({ from, to, isTemplate: sourceCode.text[from] === '`' })
    const isAllowed = (line, start) => {
      const end = start + line.length
      const width = ({ range: [from, to] }) => Math.max(0, Math.min(to, end) - Math.max(from, start))
      if (line.length - sourceCode.getAllComments().reduce((sum, comment) => sum + width(comment), 0) <= COLUMNS) return true
      return texts.some(({ from, to, isTemplate }) => (isTemplate && from < start && to > start)
        || (from < start + COLUMNS && width({ range: [from, to] }) >= TEXT_LENGTH && ENDS.test(line.slice(to - start))))
    }
    return {
      'Literal, TemplateLiteral, TSTemplateLiteralType, JSXText': note,
      'Program:exit': () => {
        for (const [index, line] of sourceCode.lines.entries()) {
          const start = { line: index + 1, column: 0 }
          if (line.length > COLUMNS && !isAllowed(line, sourceCode.getIndexFromLoc(start))) {
            context.report({ loc: { start, end: { line: index + 1, column: line.length } }, messageId: 'wide' })
          }
        }
      },
    }
  },
}

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', 'node_modules/'] },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{ts,tsx,cts}', 'adapters/**/*.js'],
    extends: [tseslint.configs.strictTypeChecked],
    plugins: { postern: { rules: { 'code-width': codeWidth } } },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      'max-lines': ['error', { max: 500 }],
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'postern/code-width': 'error',
      'no-restricted-imports': ['error', { patterns: FP_TS_PATHS }],
      'no-restricted-syntax': ['error', ...EVERYWHERE],
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': 'allow-with-description', minimumDescriptionLength: 8 }],
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'as', objectLiteralTypeAssertions: 'never' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/no-require-imports': ['error', { allowAsImport: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { allowDefaultCaseForExhaustiveSwitch: false, considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: false },
      ],
    },
  },
  {
    // A test limits the lines of an example, and pages quote them.
    files: ['docs/examples/**'],
    rules: { 'postern/code-width': 'off' },
  },
  {
    files: ['core/**/*.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-globals': ['error', ...AMBIENT.map((name) => ({ name, message: `core is pure. ${RULE_0001}` }))],
      'no-restricted-properties': ['error', ...HIDDEN_INPUTS],
      'no-restricted-imports': ['error', { patterns: [...FP_TS_PATHS, OWN_BARREL] }],
      'no-restricted-syntax': ['error', ...EVERYWHERE, ...PURE, NO_BARRELS],
    },
  },
  {
    files: ['adapters/**/*.{ts,tsx,js}', 'test/laws/**/*.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'An adapter is handed its configuration; apps read the environment.' },
      ],
      'no-restricted-imports': ['error', { patterns: [...FP_TS_PATHS, OWN_BARREL] }],
      'no-restricted-syntax': ['error', ...EVERYWHERE, NO_BARRELS],
    },
  },
  {
    files: ['adapters/oidc/oidc-provider.ts'],
    rules: {
      // It is marked so that it stands out; it is used for issuers on this machine only.
      '@typescript-eslint/no-deprecated': ['error', { allow: [{ from: 'package', name: 'allowInsecureRequests', package: 'openid-client' }] }],
    },
  },
  {
    files: ['core/index.ts'],
    rules: { 'no-restricted-syntax': ['error', ...EVERYWHERE, ...PURE] },
  },
  {
    // Made from the OpenAPI document by `npm run client-types`.
    files: ['adapters/client/operations.ts', 'adapters/client/schemas.ts'],
    rules: { 'max-lines': 'off' },
  },
  {
    files: ['adapters/*/index.ts', 'test/laws/index.ts'],
    rules: { 'no-restricted-syntax': ['error', ...EVERYWHERE] },
  },
  {
    files: ['test/**/*.ts'],
    ignores: ['test/laws/**'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Tests read replies as whoever gets them does; an assertion tells what they are.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
    },
  },
)
