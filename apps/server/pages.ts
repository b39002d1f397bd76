import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import type { Pages } from '../../adapters/koa/index.js'

/** Pages outside the folder of the others; they are served with the others. */
const BESIDE = ['README.md', 'CHANGELOG.md']

const LIST = 'docs/llms.txt'

/** The pages of this package; `undefined` if they are not installed with it. Nothing is read before the pages are requested. */
export const findPages = (): (() => Pages) | undefined => {
  // Compiled files are one folder deeper than sources.
  const root = ['../../', '../../../'].map((path) => new URL(path, import.meta.url)).find((folder) => existsSync(new URL(LIST, folder)))
  return root && (() => readPages((path) => readFileSync(new URL(path, root), 'utf8'), pathsIn(root)))
}

/** The paths of the pages in the package. */
const pathsIn = (root: URL): ReadonlyArray<string> => [
  ...BESIDE.filter((path) => existsSync(new URL(path, root))),
  ...readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' }).map((path) => `docs/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.md')).sort(),
]

/** The pages, with links that point to their served addresses. */
export const readPages = (read: (path: string) => string, paths: ReadonlyArray<string>): Pages => ({
  list: read(LIST),
  pages: new Map(paths.map((path) => [addressOf(path), withServedLinks(read(path), path, paths)])),
})

/** The address of a page below `/docs/`. */
const addressOf = (path: string): string => path.replace(/^docs\//, '')

const LINK = /(!?)\[([^[\]]*(?:\[[^[\]]*\][^[\]]*)*)\]\((?!\w+:|#)([^)\s#]+)(#[^)\s]+)?\)/g

/** A link to another page points to its address; a link to another file of the package becomes the file's name, and a picture becomes its description. */
const withServedLinks = (text: string, path: string, paths: ReadonlyArray<string>): string =>
  text.replace(LINK, (_link, picture: string, words: string, target: string, anchor = '') => {
    if (picture !== '') return words
    const file = posix.join(posix.dirname(path), target)
    return paths.includes(file)
      ? `[${words}](${posix.relative(posix.dirname(addressOf(path)), addressOf(file))}${anchor})`
      : `${words} (\`${file}\` in the package)`
  })
