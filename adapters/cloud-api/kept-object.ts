import { isDeeperThan, type JsonObject } from '../../core/json.js'

/** The limits for an object of the platform that is stored; those that it sends have three levels and some hundred bytes. */
const KEPT_LEVELS = 20
const KEPT_BYTES = 8_192

/** Whether an object of the platform is small enough to be stored whole. */
export const isKeepable = (object: JsonObject, keptBytes = KEPT_BYTES): boolean =>
  !isDeeperThan(KEPT_LEVELS, object) && Buffer.byteLength(JSON.stringify(object)) <= keptBytes
