import {
  PENDING_MS, type BegunSignIn, type Identity, type IdentityProvider, type IdentityRefused, type PortFailure, type ProvenIdentity,
} from '../../../core/ports/identity-provider.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

export const identityProvider = (identity: Identity, now: () => number): IdentityProvider => ({
  begin: (redirectUri): TE.TaskEither<PortFailure, BegunSignIn> => TE.right({ url: redirectUri, pending: String(now() + PENDING_MS) }),
  finish: (_callbackUrl, pending): TE.TaskEither<IdentityRefused | PortFailure, ProvenIdentity> =>
    Number(pending) > now() ? TE.right({ identity, email: undefined, isEmailVerified: false }) : TE.left({ _tag: 'IdentityRefused', reason: 'It is too late.' }),
})
