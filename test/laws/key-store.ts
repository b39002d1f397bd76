import type { Law } from './law.js'
import { keyLifeLaws } from './key-life.js'
import { keySecretLaws } from './key-secret.js'
import type { KeyStoreWorld } from './key-world.js'

export type { KeyStoreWorld } from './key-world.js'

/** What every `KeyStore` promises. */
export const keyStoreLaws: ReadonlyArray<Law<KeyStoreWorld>> = [...keySecretLaws, ...keyLifeLaws]
