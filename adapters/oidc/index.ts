/**
 * Sign-in with a company's identity provider, by OpenID Connect.
 *
 * @packageDocumentation
 */
export { isIssuerAddress } from './issuer-address.js'
export { makeOidcProvider, type OidcOptions } from './oidc-provider.js'
export { OIDC_CALLBACK_PATH, OIDC_PATH, oidcRoutes, type OidcRoutesOptions } from './routes.js'
