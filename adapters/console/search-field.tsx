import type { VNode } from 'preact'
import type { Workspace } from '../../core/kernel/workspace.js'
import { Icon } from './icons.js'
import { TEXTS } from './texts.js'

const { search: texts } = TEXTS

/** The longest text that is looked for: a note on a message. */
const MOST_CHARACTERS = 500

/** The address at which a search is answered: in a workspace, or in all that a person sees. */
export const searchPath = (workspace: Pick<Workspace, 'id'> | undefined): string => (workspace === undefined ? SEARCH_OF_ALL : SEARCH_IN.replace(':workspace', workspace.id))

/** The addresses of the two pages of the search. */
export const [SEARCH_OF_ALL, SEARCH_IN] = ['/console/search', '/console/workspaces/:workspace/search']

/** The field of every page that finds things by what people know of them. */
export const SearchField = ({ patterns, workspace, sought }: { readonly patterns: ReadonlySet<string>; readonly workspace: Workspace | undefined; readonly sought: string | undefined }): VNode | null =>
  (!patterns.has(SEARCH_OF_ALL) ? null : (
    <form class="find" method="get" action={searchPath(workspace)} role="search" aria-label={texts.title}>
      <Icon name="search" />
      <input type="search" id="find-anything" name="q" aria-label={workspace === undefined ? texts.labelOfAll : texts.label} placeholder={workspace === undefined ? texts.placeholderOfAll : texts.placeholder}
        value={sought} maxLength={MOST_CHARACTERS} autocomplete="off" spellcheck={false} aria-keyshortcuts="/" />
      <kbd aria-hidden="true">/</kbd>
    </form>
  ))
