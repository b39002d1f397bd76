import * as E from 'fp-ts/lib/Either.js'
import { parseCustomerId } from './customers/customer.js'
import { parseWindowCursor } from './customers/window.js'
import { isAuditId, isBatchId, isWorkspaceId } from './kernel/ids.js'
import { isMessageId } from './messages/message.js'
import { templateCursor, templatePlace } from './templates/catalogue.js'
import { isCatalogued } from './templates/template.js'

/** The lists that callers read in pages. */
export type ListName = 'audit' | 'batches' | 'deliveries' | 'entries' | 'messages' | 'requests' | 'templates' | 'windows' | 'workspaces'

/** 32 lowercase hexadecimal digits of a UUIDv7: the ids of entries, attempts and logged requests. */
const isBareId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text)

const FORMS: { readonly [List in ListName]: (cursor: string) => boolean } = {
  audit: isAuditId,
  batches: isBatchId,
  deliveries: isBareId,
  entries: isBareId,
  messages: isMessageId,
  requests: isBareId,
  templates: (cursor) => {
    const place = templatePlace(cursor)
    return templateCursor(place) === cursor && isCatalogued(place)
  },
  windows: (cursor) => {
    const place = parseWindowCursor(cursor)
    return place !== undefined && E.isRight(parseCustomerId(place.customer))
  },
  workspaces: isWorkspaceId,
}

/**
 * Whether a text has the form of a cursor of a list. A cursor names a place, so it is valid even if its item was deleted or never existed: its page then begins
 * where the item would be.
 */
export const isCursorOf = (list: ListName, cursor: string): boolean => FORMS[list](cursor)
