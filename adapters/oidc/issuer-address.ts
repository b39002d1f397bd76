/**
 * Whether a text can be the address of an issuer: https, or http on this machine, without credentials, query or fragment. A slash at its end counts,
 * because a provider's metadata has to name the same issuer. The address of the metadata itself is none: the issuer would not be compared.
 */
export const isIssuerAddress = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && isSafe(url) && url.username + url.password === '' && !/[?#]|\/\.well-known\//.test(text)
}

/** Whether secrets may go to an address: over TLS, or without leaving this machine. */
export const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:'
  || (protocol === 'http:' && (hostname === 'localhost' || hostname === '[::1]' || /^127(\.[0-9]{1,3}){3}$/.test(hostname)))
