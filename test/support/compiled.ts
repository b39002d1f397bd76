import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The path of a compiled program, such as `apps/cli/main.js`; throws with advice if it was not compiled. */
export const compiled = (program: string): string => {
  const path = `${ROOT}dist/${program}`
  if (!existsSync(path)) throw new Error(`${path} is missing; \`npm run build\` makes it, and so does \`npm test\``)
  return path
}
