import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Scratch } from './scratch.js'

/** A certificate for 127.0.0.1 that was made for one test, and its key: their files and their texts. */
export type Certificate = { readonly cert: string; readonly key: string; readonly certFile: string; readonly keyFile: string }

/** Makes a certificate in a temporary folder with the program openssl. */
export const makeCertificate = async (scratch: Scratch): Promise<Certificate> => {
  const [certFile, keyFile] = [scratch.path('cert.pem'), scratch.path('key.pem')]
  await promisify(execFile)('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1',
    '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', keyFile, '-out', certFile,
  ])
  return { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8'), certFile, keyFile }
}
