import { exampleEvent } from '../../../core/explanations/event-examples.js'
import { EVENT_TYPES } from '../../../core/kernel/outbox.js'

/** Who is watched, by the word that is in everything that she writes. */
type Marked = { readonly mark: string }

/** Ids that the gateway makes, and those of the platform. */
const IDS = /\b(?:msg|evt|ep|ws|ses)_[0-9a-f]{32}\b|\bwamid\.[\w+/=-]+|\b[0-9a-f]{32}\b/g

/** Ids of nobody: the examples of events that a page shows to all. */
const OF_EXAMPLES: ReadonlySet<string> = new Set(JSON.stringify(EVENT_TYPES.map(exampleEvent)).match(IDS))

/** Looks for what belongs to one tenant in what the other one sees. */
export type Watch = {
  /** Words and ids of a tenant that no other may see. */
  readonly add: (tenant: Marked, marks: ReadonlyArray<string>) => void
  /** Searches what a tenant sees. An id belongs to the tenant who sees it first. */
  readonly look: (tenant: Marked, title: string, text: string) => void
  /** Gives what was found since the last call, a sentence each. */
  readonly findings: () => ReadonlyArray<string>
}

/** Makes a watch that has seen nothing. */
export const makeWatch = (): Watch => {
  const marks = new Map<string, ReadonlyArray<string>>()
  const owners = new Map<string, string>()
  const findings: string[] = []
  return {
    findings: () => findings.splice(0),
    add: ({ mark }, more) => { marks.set(mark, [...(marks.get(mark) ?? []), ...more]) },
    look: ({ mark }, title, text) => {
      const lower = `${text}\n${decoded(text)}`.toLowerCase()
      for (const [other, theirs] of marks) {
        const seen = other === mark ? undefined : theirs.find((one) => lower.includes(one.toLowerCase()))
        if (seen !== undefined) findings.push(`${title} shows ${mark} ${JSON.stringify(seen)} of ${other}`)
      }
      for (const [id] of text.matchAll(IDS)) {
        if (OF_EXAMPLES.has(id)) continue
        const owner = owners.get(id) ?? mark
        owners.set(id, owner)
        if (owner !== mark) findings.push(`${title} shows ${mark} the id ${id} of ${owner}`)
      }
    },
  }
}

/** What cursors say, which are in Base64. */
const decoded = (text: string): string =>
  Array.from(text.matchAll(/"next_cursor":\s*"([\w-]+)"|[?&]cursor=([\w-]+)/g), ([, json, query]) =>
    Buffer.from(json ?? query ?? '', 'base64url').toString()).join('\n')
