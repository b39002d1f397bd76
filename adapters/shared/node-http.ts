/**
 * Node.js's HTTP module, with its usual names.
 *
 * `import … from 'node:http'` reads every export, and one of them loads the client of `fetch`, which takes 13 MB and 40 ms. So a module that is loaded at the start of a
 * gateway imports this one.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
