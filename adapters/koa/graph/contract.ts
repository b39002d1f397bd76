import { getBusinessProfile, getPhoneNumbers } from './accounts.js'
import type { GraphDeps, GraphOperation } from './operation.js'
import { postMedia } from './files.js'
import { postMessages } from './messages.js'
import { getMediaDescription, getTemplates } from './reads.js'

/** Every operation of the Graph-compatible API. A new one is listed here. */
export const GRAPH_OPERATIONS = [postMessages, postMedia, getTemplates, getMediaDescription, getPhoneNumbers, getBusinessProfile] as const

/** The operations of the Graph-compatible API that an app serves: none without senders, because an address of the Graph-compatible API contains the id of one. */
export const graphOperations = ({ postern: { workspaces, sending, templates, conversation } }: GraphDeps): ReadonlyArray<GraphOperation> =>
  (workspaces === undefined ? [] : [
    postMessages, getPhoneNumbers, getBusinessProfile,
    ...(sending.uploadFile === undefined ? [] : [postMedia]),
    ...(templates === undefined ? [] : [getTemplates]),
    ...(conversation === undefined ? [] : [getMediaDescription]),
  ])
