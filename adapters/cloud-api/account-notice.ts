import * as E from 'fp-ts/lib/Either.js'
import type { AccountField } from '../../core/account-notice.js'
import type { JsonObject } from '../../core/json.js'
import type { AccountNoticeReport } from '../../core/use-cases/receive.js'
import { isKeepable } from './kept-object.js'
import { ignored, instantOf, type ParseResult } from './parse-result.js'
import { isObject, propertyOf } from './unknown-json.js'

/** The form of a business account id that a sender can have. */
const ACCOUNT_ID = /^[!-~]{1,64}$/

/** Reads a change that is about a business account: its templates, its numbers, its limits. The entry has the account's id and the moment. */
export const readAccountNotice = (entry: unknown, field: AccountField, value: unknown): ParseResult<AccountNoticeReport> => {
  const accountId = propertyOf(entry, 'id')
  if (typeof accountId !== 'string' || !ACCOUNT_ID.test(accountId)) return ignored('no_account_id')
  if (!isObject(value)) return ignored('no_items')
  const at = instantOf(propertyOf(entry, 'time'))
  return E.right([{ _tag: 'AccountNotice', accountId, field, subject: subjectOf(field, value), value: keptOf(value), ...(at !== undefined && { at }) }])
}

/** What of the account a notice is about. An event of the account is a subject of its own, so that a notice on prices does not hide a restriction. */
const subjectOf = (field: AccountField, value: JsonObject): string => {
  switch (field) {
    case 'message_template_status_update': case 'message_template_quality_update': case 'template_category_update':
      return textOf(value, 'message_template_id') || [textOf(value, 'message_template_name'), textOf(value, 'message_template_language')].join(' ').trim()
    case 'phone_number_quality_update': return textOf(value, 'display_phone_number')
    case 'account_update': return textOf(value, 'event')
    case 'business_capability_update': return ''
  }
}

const LONGEST_SUBJECT = 100

/** Printable text of a field that is a string or a number. */
const textOf = (value: JsonObject, name: string): string => {
  const text = propertyOf(value, name)
  return typeof text === 'string' || typeof text === 'number' ? String(text).replace(/[^ -~]/g, '').slice(0, LONGEST_SUBJECT).trim() : ''
}

/** The value whole; of one that is too large, what of it can be shown in one line. */
const keptOf = (value: JsonObject): JsonObject =>
  isKeepable(value)
    ? value
    : { ...Object.fromEntries(SHOWN.flatMap((name) => (textOf(value, name) === '' ? [] : [[name, textOf(value, name)]]))), truncated: true }

const SHOWN = ['event', 'message_template_name', 'message_template_language', 'new_quality_score', 'new_category', 'display_phone_number']
