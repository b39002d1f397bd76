import type { VNode } from 'preact'
import type { Workspace } from '../../core/kernel/workspace.js'
import { Icon } from './icons.js'
import { TEXTS } from './texts.js'

const { palette, search: texts } = TEXTS

/** The maximum length of a search text: the length of a note on a message. */
const MAX_CHARACTERS = 500

type Place = Pick<Workspace, 'id'> | undefined

const pathIn = (workspace: Place, all: string, one: string): string =>
  workspace === undefined ? all : one.replace(':workspace', workspace.id)

/** The address of a search: in a workspace, or in everything that a person may see. */
export const searchPath = (workspace: Place): string => pathIn(workspace, SEARCH_OF_ALL, SEARCH_IN)

/** The addresses of the two search pages, and of the rows of the palette. */
export const [SEARCH_OF_ALL, SEARCH_IN] = ['/console/search', '/console/workspaces/:workspace/search']
export const [PALETTE_OF_ALL, PALETTE_IN] = ['/console/palette', '/console/workspaces/:workspace/palette']

/** The id of the rows of the palette. */
export const FOUND_ID = 'found'

/** The search field of every page; it finds objects by what people know about them. The script opens the palette instead. */
export const SearchField = ({ patterns, workspace, sought }: {
  readonly patterns: ReadonlySet<string>
  readonly workspace: Workspace | undefined
  readonly sought: string | undefined
}): VNode | null =>
  (!patterns.has(SEARCH_OF_ALL) ? null : (
    <>
      <form class="find" method="get" action={searchPath(workspace)} role="search" aria-label={texts.title}>
        <Icon name="search" />
        <input type="search" id="find-anything" name="q" aria-label={workspace === undefined
          ? texts.labelOfAll
          : texts.label} placeholder={workspace === undefined ? texts.placeholderOfAll : texts.placeholder}
          value={sought} maxLength={MAX_CHARACTERS} autocomplete="off" spellcheck={false} aria-keyshortcuts="/ Control+K Meta+K" />
        <kbd aria-hidden="true">{palette.byKeys}</kbd>
      </form>
      <Palette workspace={workspace} />
    </>
  ))

/** The palette, closed and empty: the script opens it, and fills it with what the server finds. */
const Palette = ({ workspace }: { readonly workspace: Workspace | undefined }): VNode => (
  <dialog class="palette" aria-label={palette.title} data-rows={pathIn(workspace, PALETTE_OF_ALL, PALETTE_IN)}>
    <div class="ask">
      <Icon name="search" />
      <input type="text" role="combobox" aria-expanded="true" aria-controls={FOUND_ID} aria-autocomplete="list" aria-label={palette.label}
        placeholder={palette.placeholder} maxLength={MAX_CHARACTERS} autocomplete="off" spellcheck={false} />
      <kbd aria-hidden="true">{palette.escape}</kbd>
    </div>
    <div class="rows" />
    <p class="unseen" role="status" />
    <p class="hint keys">
      <span><kbd>↑</kbd><kbd>↓</kbd> {palette.choose}</span><span><kbd>↵</kbd> {palette.open}</span>
      <span><kbd>{palette.control}</kbd><kbd>↵</kbd> {palette.newTab}</span><span><kbd>?</kbd> {palette.allKeys}</span>
    </p>
  </dialog>
)
