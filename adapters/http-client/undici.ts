import type * as Undici from 'undici'
import { partOfPackage } from '../shared/part-of-package.js'

/** The client for one server, and the function that makes its connections, without the rest of undici, which costs 70 ms. */
export const Client = partOfPackage('undici', 'Client', 'lib/dispatcher/client.js') as typeof Undici.Client
export type Client = Undici.Client
export const buildConnector = partOfPackage('undici', 'buildConnector', 'lib/core/connect.js') as typeof Undici.buildConnector
