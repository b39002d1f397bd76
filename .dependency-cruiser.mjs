/** The concepts of core, each after those that it may import. Whoever reads them in this order meets nothing that was not said before. */
const CONCEPTS = ['kernel', 'access', 'senders', 'customers', 'consent', 'messages', 'money', 'events', 'templates', 'alerts', 'sending', 'batches', 'reports', 'workspaces', 'explanations', 'requests']

const inOrder = (concept, index) => ({
  name: 'concepts-in-order',
  severity: 'error',
  comment: 'A concept of core imports only those that come before it. See docs/decisions/0042.',
  from: { path: `^core/${concept}/` },
  to: { path: `^core/(?!(${CONCEPTS.slice(0, index + 1).join('|')})/)` },
})

/** The dependency rule: core knows core, an adapter knows core and itself, and only apps and tests know two adapters. */
export default {
  forbidden: [
    {
      name: 'core-is-pure',
      severity: 'error',
      comment: 'core imports core and fp-ts, nothing else. See docs/decisions/0001.',
      from: { path: '^core/' },
      to: { pathNot: ['^core/', '^node_modules/fp-ts/'] },
    },
    ...CONCEPTS.map(inOrder),
    {
      name: 'concepts-in-order',
      severity: 'error',
      comment: 'Every folder of core has a place in the order of concepts. See docs/decisions/0042.',
      from: { path: `^core/(?!(${CONCEPTS.join('|')})/)[^/]+/` },
      to: {},
    },
    {
      name: 'adapters-do-not-meet',
      severity: 'error',
      comment: 'An adapter sees core, its own folder, and what adapters share: connections of those that call over HTTP, the loops of periodic work, limits and fairness; adapters meet in apps only. See docs/decisions/0001.',
      from: { path: '^adapters/([^/]+)/' },
      to: { path: '^(adapters|apps|test|docs)/', pathNot: '^adapters/($1|http-client|jobs|shared)/' },
    },
    {
      name: 'client-imports-nothing',
      severity: 'error',
      comment: 'The client for applications is one file without imports; its folder has only types in addition. See docs/decisions/0047.',
      from: { path: '^adapters/client/' },
      to: { pathNot: '^adapters/client/' },
    },
    {
      name: 'laws-speak-only-of-ports',
      severity: 'error',
      comment: 'Laws ship to authors of adapters: they import core, fp-ts and node:assert only. See docs/decisions/0004.',
      from: { path: '^test/laws/' },
      to: { pathNot: ['^core/', '^test/laws/', '^node_modules/fp-ts/', '^assert(/strict)?$'] },
    },
    {
      name: 'apps-know-no-tests',
      severity: 'error',
      comment: 'What ships does not lean on what tests it.',
      from: { path: '^apps/' },
      to: { path: '^test/' },
    },
    {
      name: 'gateway-knows-no-commands',
      severity: 'error',
      comment: 'The command line starts the gateway and shows what it shows, never the other way round.',
      from: { path: '^apps/server/' },
      to: { path: '^apps/(cli|demo)/' },
    },
    {
      name: 'simulator-stands-alone',
      severity: 'error',
      comment: 'The stand-in for the platform shares no code with the adapters that are tried against it.',
      from: { path: '^apps/simulator/' },
      to: { path: '^adapters/' },
    },
    {
      name: 'container-stays-at-the-edge',
      severity: 'error',
      comment: 'inversify is known to adapters/inversify, apps and tests only. See docs/decisions/0002.',
      from: { pathNot: '^(adapters/inversify|apps|test|docs)/' },
      to: { path: '^node_modules/(inversify|@inversifyjs)/' },
    },
    {
      name: 'reflect-metadata-at-the-entry',
      severity: 'error',
      comment: "reflect-metadata is imported once, at the server's entry. See docs/decisions/0002.",
      from: { pathNot: '^apps/server/run\\.ts$' },
      to: { path: '^node_modules/reflect-metadata/' },
    },
    {
      name: 'what-ships-needs-no-dev-package',
      severity: 'error',
      comment: 'A package that what ships imports belongs to the dependencies in package.json.',
      from: { path: '^(core|adapters|apps)/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer', 'npm-optional'] },
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      comment: 'An import that leads nowhere would slip past every other rule.',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Modules that need each other are one module, or hide a third. Imports of types count.',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: '^node_modules/' },
    exclude: { path: '^(dist|coverage)/' },
    moduleSystems: ['es6', 'cjs'],
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
}
