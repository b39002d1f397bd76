import { getBusinessProfile, getPhoneNumbers } from './accounts.js'
import type { DoorDeps, DoorOperation } from './door.js'
import { postMedia } from './files.js'
import { postMessages } from './messages.js'
import { getMediaDescription, getTemplates } from './reads.js'

/** Every operation of the Graph-compatible API ('the door'). A new one is listed here. */
export const DOOR_OPERATIONS = [postMessages, postMedia, getTemplates, getMediaDescription, getPhoneNumbers, getBusinessProfile] as const

/** The operations of the door that an app serves: none without senders, because an address of the door contains the id of one. */
export const doorOperations = ({ senders, templateCatalogue, answering, uploadFile }: DoorDeps): ReadonlyArray<DoorOperation> => [
  ...(senders === undefined ? [] : [postMessages, getPhoneNumbers, getBusinessProfile]),
  ...(senders === undefined || uploadFile === undefined ? [] : [postMedia]),
  ...(senders === undefined || templateCatalogue === undefined ? [] : [getTemplates]),
  ...(senders === undefined || answering === undefined ? [] : [getMediaDescription]),
]
