import { createHmac } from 'node:crypto'

/** How a notification is signed: correctly, or in one of the ways that a receiver must refuse. */
export type Signature = 'right' | 'wrong' | 'missing' | 'otherSecret' | 'truncated'

/** The signature header of the bytes that are sent; the key is the app's secret. */
export const signatureHeaders = (how: Signature, body: Buffer, appSecret: string): Readonly<Record<string, string>> => {
  switch (how) {
    case 'right': return header(hmac(body, appSecret))
    case 'wrong': return header('0'.repeat(64))
    case 'missing': return {}
    case 'otherSecret': return header(hmac(body, `${appSecret} of another app`))
    case 'truncated': return header(hmac(body, appSecret).slice(0, 32))
  }
}

const header = (hex: string) => ({ 'x-hub-signature-256': `sha256=${hex}` })

const hmac = (body: Buffer, secret: string): string => createHmac('sha256', secret).update(body).digest('hex')
