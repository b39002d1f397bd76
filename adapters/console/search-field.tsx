import type { VNode } from 'preact'
import type { Workspace } from '../../core/kernel/workspace.js'
import { Icon } from './icons.js'
import { TEXTS } from './texts.js'

const { search: texts } = TEXTS

/** The maximum length of a search text: the length of a note on a message. */
const MAX_CHARACTERS = 500

/** The address of a search: in a workspace, or in everything that a person may see. */
export const searchPath = (workspace: Pick<Workspace, 'id'> | undefined): string =>
  workspace === undefined ? SEARCH_OF_ALL : SEARCH_IN.replace(':workspace', workspace.id)

/** The addresses of the two search pages. */
export const [SEARCH_OF_ALL, SEARCH_IN] = ['/console/search', '/console/workspaces/:workspace/search']

/** The search field of every page; it finds objects by what people know about them. */
export const SearchField = ({ patterns, workspace, sought }: {
  readonly patterns: ReadonlySet<string>
  readonly workspace: Workspace | undefined
  readonly sought: string | undefined
}): VNode | null =>
  (!patterns.has(SEARCH_OF_ALL) ? null : (
    <form class="find" method="get" action={searchPath(workspace)} role="search" aria-label={texts.title}>
      <Icon name="search" />
      <input type="search" id="find-anything" name="q" aria-label={workspace === undefined
        ? texts.labelOfAll
        : texts.label} placeholder={workspace === undefined ? texts.placeholderOfAll : texts.placeholder}
        value={sought} maxLength={MAX_CHARACTERS} autocomplete="off" spellcheck={false} aria-keyshortcuts="/" />
      <kbd aria-hidden="true">/</kbd>
    </form>
  ))
