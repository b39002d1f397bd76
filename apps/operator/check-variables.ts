import type { Config } from '../server/config.js'
import { failed, passed, type CheckResult } from './check-result.js'

/** Checks the values of the variables that decode and are unsafe or incomplete all the same. */
export const checkVariables = ({ secret, platform }: Config): ReadonlyArray<CheckResult> => [
  checkSecret(secret),
  checkWebhook(platform),
  ...checkAppSecret(platform),
  ...(isPlainHttpAcrossNetwork(platform.url)
    ? [failed('PLATFORM_URL', 'it is an http:// address of another machine, so access tokens and messages cross the network unencrypted', 'Use https://.')]
    : []),
]

const NEW_SECRET = 'Set it to at least 32 random characters, such as `openssl rand -hex 32` prints, and keep it.'

/** Random text of 32 characters has some 20 different ones, and hexadecimal digits about 14. */
const LEAST_DIFFERENT = 8

const checkSecret = (secret: string | undefined): CheckResult => {
  if (secret === undefined) return failed('POSTERN_SECRET', 'it is not set, so no sender can be stored or read', NEW_SECRET)
  const different = new Set(secret).size
  if (different === 1) return failed('POSTERN_SECRET', 'all its characters are equal, so it can be guessed', NEW_SECRET)
  return different < LEAST_DIFFERENT
    ? failed('POSTERN_SECRET', `it has only ${different} different characters, so it can be guessed`, NEW_SECRET)
    : passed('POSTERN_SECRET')
}

const checkWebhook = ({ verifyToken, appSecret }: Config['platform']): CheckResult =>
  verifyToken === undefined || appSecret === undefined
    ? failed('webhook',
        "PLATFORM_VERIFY_TOKEN or PLATFORM_APP_SECRET is not set, so customers' messages open no window and the platform's reports are refused",
        "Set both as in the platform's app settings.")
    : passed('webhook')

/** The form of the app secrets that the platform gives out. */
const APP_SECRET = /^[0-9a-f]{32}$/

const WHERE_REFUSALS_SHOW = 'a notification with another signature is logged as webhook_signature_rejected and counted in postern_webhook_rejected_total'

/** A simulator on this machine takes any secret. */
const checkAppSecret = ({ appSecret, url }: Config['platform']): ReadonlyArray<CheckResult> => {
  if (appSecret === undefined) return []
  return APP_SECRET.test(appSecret) || isLoopback(new URL(url).hostname)
    ? [passed('PLATFORM_APP_SECRET', `only notifications show whether it is the right one: ${WHERE_REFUSALS_SHOW}`)]
    : [failed('PLATFORM_APP_SECRET', "it is not 32 hexadecimal digits in lower case, as the platform's app secrets are, so every notification may be refused",
      `Copy the app secret from the app's settings. It is wrong if ${WHERE_REFUSALS_SHOW}.`)]
}

const isPlainHttpAcrossNetwork = (address: string): boolean => {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && !isLoopback(hostname)
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127(\.[0-9]{1,3}){3}$/.test(hostname)
