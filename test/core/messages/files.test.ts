import { readFileSync } from 'node:fs'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { fileBytes } from '../../../adapters/machine/file-bytes.js'
import { openSandbox, type Sandbox } from '../../../adapters/memory/sandbox.js'
import { MEDIA_TYPES, type MediaUpload } from '../../../core/messages/conversation.js'
import { contentTypeOf, FILE_LIMITS, type FileType, type IncomingFile, MAX_FILE_BYTES } from '../../../core/messages/files.js'
import { makeUploadFile, type Upload, type UploadError } from '../../../core/sending/files.js'
import { rightOf } from '../../support/right-of.js'

const text = (bytes: string): Buffer => Buffer.from(bytes, 'latin1')
const PDF = text('%PDF-1.7\n1 0 obj\n')
const PNG = text('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0')
const JPEG = Buffer.concat([text('\xff\xd8\xff\xe0\0\x10JFIF\0\x01'), Buffer.alloc(20)])
const ZIP = Buffer.concat([text('PK\x03\x04\x14\0\0\0\0\0'), Buffer.alloc(16), text('\x05\0\0\0a.txthello')])
const OLE = Buffer.concat([text('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), Buffer.alloc(600)])
const MP4 = text('\0\0\0\x18ftypisom\0\0\x02\0isomiso2')
const M4A = text('\0\0\0\x18ftypM4A \0\0\x02\0isomiso2')
const OGG = Buffer.concat([text('OggS\0\x02'), Buffer.alloc(20), text('\x01\x13OpusHead\x01\x01')])
const webp = (chunk: string, flags = 0): Buffer =>
  Buffer.concat([text(`RIFF\x24\0\0\0WEBP${chunk}\x0a\0\0\0`), Buffer.of(flags), Buffer.alloc(20)])
const PLAIN = text('Dear Ada,\nyour invoice is attached.\n')
const [ZIP_TYPE, OLE_TYPE] = ['application/zip', 'application/x-cfb']
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

const judged = async (type: FileType, bytes: Buffer, declared?: string, name?: string): Promise<string> => {
  const found = contentTypeOf(type, { declared, name }, bytes, await fileBytes.typeOf(bytes))
  return E.isRight(found) ? found.right : `refused: ${found.left.reason}`
}

describe('the content type of a file', () => {
  const taken: ReadonlyArray<readonly [
    what: string, type: FileType, bytes: Buffer, declared: string | undefined, name: string | undefined, expected: string,
  ]> = [
    ['a PDF', 'document', PDF, 'application/pdf', 'a.pdf', 'application/pdf'],
    ['a PDF that nobody names so', 'document', PDF, 'application/octet-stream', undefined, 'application/pdf'],
    ['a PDF that is called a text', 'document', PDF, 'text/plain', 'a.txt', 'application/pdf'],
    ['a text', 'document', PLAIN, 'text/plain; charset=utf-8', 'a.txt', 'text/plain'],
    ['a table', 'document', PLAIN, undefined, 'a.CSV', 'text/csv'],
    ['a text that nobody names so', 'document', PLAIN, undefined, undefined, 'text/plain'],
    ['bytes of which nothing is known', 'document', Buffer.of(0, 1, 2, 3), undefined, undefined, 'application/octet-stream'],
    ['a new document of an office, by its name', 'document', ZIP, 'application/octet-stream', 'a.docx', DOCX],
    ['an old one, by its type', 'document', OLE, 'application/msword', 'a.doc', 'application/msword'],
    ['an archive', 'document', ZIP, 'application/zip', 'a.zip', 'application/zip'],
    ['a drawing in XML, whose first bytes show little', 'document', text('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml',
      'a.svg', 'image/svg+xml'],
    ['an image as a document', 'document', PNG, 'image/png', 'a.png', 'image/png'],
    ['an image, whatever it is called', 'image', PNG, 'image/jpeg', 'a.jpg', 'image/png'],
    ['a photo', 'image', JPEG, undefined, undefined, 'image/jpeg'],
    ['a film', 'video', MP4, 'video/mp4', undefined, 'video/mp4'],
    ['a recording in the container of a film', 'audio', MP4, 'audio/mp4', undefined, 'audio/mp4'],
    ['a recording of a telephone', 'audio', M4A, undefined, undefined, 'audio/mp4'],
    ['a voice note', 'audio', OGG, 'audio/ogg; codecs=opus', undefined, 'audio/ogg'],
    ['a sticker', 'sticker', webp('VP8X'), undefined, undefined, 'image/webp'],
    ['a type that is none', 'document', PLAIN, 'text/plain\r\nX: y', undefined, 'text/plain'],
  ]
  for (const [what, type, bytes, declared, name, expected] of taken) {
    it(`is ${expected} of ${what}`, async () => { assert.equal(await judged(type, bytes, declared, name), expected) })
  }

  const refused: ReadonlyArray<readonly [
    what: string, type: FileType, bytes: Buffer, declared: string | undefined, name: string | undefined, why: RegExp,
  ]> = [
    ['an archive that is called a PDF', 'document', ZIP, 'application/pdf', 'a.pdf', /declared as application\/pdf, but its first bytes show application\/zip$/],
    ['a text that is called a PDF', 'document', PLAIN, undefined, 'a.pdf', /declared as application\/pdf, but its first bytes show something else$/],
    ['a PDF that is called a document of an office', 'document', PDF, DOCX, undefined, /show application\/pdf$/],
    ['a text that is called an image', 'document', PLAIN, 'image/png', undefined, /declared as image\/png/],
    ['a PDF as an image', 'image', PDF, 'image/png', 'a.png', /^refused: An image must be image\/jpeg, image\/png; the first bytes of this file show application\/pdf$/],
    ['a sticker as an image', 'image', webp('VP8 '), undefined, undefined, /show image\/webp$/],
    ['a film as a sound', 'audio', PNG, undefined, undefined, /^refused: An audio must be/],
    ['a text as a sticker', 'sticker', PLAIN, 'image/webp', undefined, /show none of them$/],
  ]
  for (const [what, type, bytes, declared, name, why] of refused) {
    it(`refuses ${what}`, async () => { assert.match(await judged(type, bytes, declared, name), why) })
  }

  it('is passed on of an attachment, if the platform takes the same file in a message', () => {
    const shown = {
      txt: undefined, pdf: 'application/pdf', doc: OLE_TYPE, xls: OLE_TYPE, ppt: OLE_TYPE, docx: ZIP_TYPE, xlsx: ZIP_TYPE, pptx: ZIP_TYPE,
    }
    const documents = Object.entries(shown).map(([ending, type]) =>
      contentTypeOf('document', { declared: undefined, name: `a.${ending}` }, PLAIN, type))
    assert.includeMembers(
      [...MEDIA_TYPES],
      [
        ...documents.map((type) => (E.isRight(type) ? type.right : type.left.reason)),
        ...Object.values(FILE_LIMITS).flatMap(({ types = [] }) => types),
      ],
    )
    assert.lengthOf(new Set(documents.map((type) => JSON.stringify(type))), documents.length)
  })

  it('is that of a picture of this project', async () => {
    assert.equal(
      await judged('image', readFileSync(new URL('../../../docs/pictures/phone.png', import.meta.url)).subarray(0, 4_100)), 'image/png',
    )
  })
})

/** A file whose bytes count how many of them were taken. */
const fileOf = (pieces: ReadonlyArray<Uint8Array>, more: Partial<IncomingFile> = {}) => {
  const seen = { pieces: 0, ended: false }
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for (const piece of pieces) {
        seen.pieces += 1
        yield piece
      }
    } finally {
      seen.ended = true
    }
  }
  return {
    seen, file: { name: 'invoice.pdf', declared: 'application/pdf', sizeAtMost: undefined, bytes: bytes(), ...more } satisfies IncomingFile,
  }
}

const MIB = 1024 * 1024
const NOW = Date.UTC(2026, 10, 26)

/** Uploads through a platform in memory, and what the platform has got to its end. */
const openUploads = async (sandbox?: Sandbox) => {
  const box = sandbox ?? await openSandbox({ now: () => NOW })
  const begun: Array<Omit<MediaUpload, 'bytes'>> = []
  const upload = makeUploadFile({
    ...box, fileBytes,
    conversation: {
      uploadMedia: (given) => {
        const { bytes: _bytes, ...rest } = given
        begun.push(rest)
        return box.conversation.uploadMedia(given)
      },
    },
  })
  const run = (pieces: ReadonlyArray<Uint8Array>, more: Partial<IncomingFile> = {}, type?: FileType) => {
    const { seen, file } = fileOf(pieces, more)
    return { seen, answer: upload({ workspace: box.workspace, file, ...(type && { type }) }) }
  }
  return { box, begun, run, arrived: () => [...box.attachments.values()] }
}

const right = (outcome: E.Either<UploadError, Upload>): Upload =>
  E.isRight(outcome) ? outcome.right : assert.fail(JSON.stringify(outcome.left))
const reason = (outcome: E.Either<UploadError, Upload>): string =>
  (E.isLeft(outcome) && outcome.left._tag === 'MediaInvalid' ? outcome.left.reason : assert.fail(JSON.stringify(outcome)))

/** A large PDF in pieces. */
const large = (pieces: number, last = 'end'): ReadonlyArray<Uint8Array> =>
  [PDF, ...Array.from({ length: pieces }, () => Buffer.alloc(MIB)), text(last)]

describe('uploading a file', () => {
  it('uploads a small file whole, and a large one as it comes, with its type and digest', async () => {
    const { begun, run, arrived } = await openUploads()
    const [small, big] = [right(await run([PDF]).answer), right(await run(large(3)).answer)]
    assert.deepInclude(small, { type: 'application/pdf', size: PDF.length, isNew: true, expiresAt: NOW + 29 * 24 * 3_600_000 })
    assert.equal(small.sha256, digestOf(PDF))
    assert.equal(big.sha256, digestOf(Buffer.concat(large(3))))
    assert.deepEqual(arrived().map(({ bytes }) => bytes.length), [PDF.length, big.size])
    assert.deepEqual(begun.map(({ type, name, sizeAtMost }) => [type, name, sizeAtMost]), [
      ['application/pdf', 'invoice.pdf', PDF.length],
      ['application/pdf', 'invoice.pdf', undefined],
    ])
  })

  it('uploads the same bytes once: a small file not even begun, a large one broken off before its end', async () => {
    const { begun, run, arrived } = await openUploads()
    const firsts = [right(await run([PDF]).answer), right(await run(large(3)).answer)]
    const again = [right(await run([PDF.subarray(0, 5), PDF.subarray(5)]).answer), right(await run(large(3)).answer)]
    assert.deepEqual(again, firsts.map((first) => ({ ...first, isNew: false })))
    assert.lengthOf(begun, 3, 'of the small file nothing was begun')
    assert.lengthOf(arrived(), 2, 'of the large one nothing arrived')
    assert.isTrue(right(await run(large(3, 'End')).answer).isNew, 'one other byte makes another file')
    assert.isTrue(right(await run([PDF], { declared: 'text/csv', name: 'a.csv', bytes: fileOf([PLAIN]).file.bytes }).answer).isNew)
  })

  it('uploads again after 29 days, and for another workspace', async () => {
    let now = NOW
    const { box, run } = await openUploads(await openSandbox({ now: () => now }))
    const first = right(await run([PDF]).answer)
    now += 29 * 24 * 3_600_000
    assert.isTrue(right(await run([PDF]).answer).isNew)
    assert.equal(box.attachments.size, 2)
    assert.notEqual(right(await run([PDF]).answer).id, first.id)
  })

  it('refuses what is empty, too large or broken off, and no more of it is taken', async () => {
    const { run, arrived } = await openUploads()
    assert.equal(reason(await run([]).answer), 'The file is empty')
    const announced = run(large(1), { sizeAtMost: MAX_FILE_BYTES + 65 })
    assert.match(reason(await announced.answer), /too large: a document may have at most 100 MiB$/)
    assert.isTrue(announced.seen.ended)
    assert.isBelow(announced.seen.pieces, 3)
    const endless = run(large(300))
    assert.match(reason(await endless.answer), /100 MiB$/)
    assert.isBelow(endless.seen.pieces, 104)
    assert.match(reason(await run([PNG, ...large(5)], {}, 'image').answer), /an image may have at most 5 MiB$/)
    assert.match(reason(await run([webp('VP8 '), Buffer.alloc(100 * 1024)], {}, 'sticker').answer), /a static sticker may have at most 100 KiB$/)
    assert.equal(right(await run([webp('VP8X', 0b10), Buffer.alloc(100 * 1024)], {}, 'sticker').answer).type, 'image/webp')
    for (const after of [[PDF], large(2)]) {
      const broken = async function* (): AsyncGenerator<Uint8Array> {
        yield* after
        throw new Error('gone')
      }
      assert.equal(reason(await run([], { bytes: broken() }).answer), 'The file was not received completely')
    }
    assert.lengthOf(arrived(), 1)
  })

  it('takes the type of message from the file if the caller names none', async () => {
    const { run } = await openUploads()
    assert.match(reason(await run([PNG, ...large(5)], { declared: undefined, name: undefined }).answer), /an image may have/)
    assert.equal(right(await run([PLAIN], { declared: undefined, name: undefined }).answer).type, 'text/plain')
  })

  it('fails if the platform or the workspace has no sender, and keeps nothing', async () => {
    const box = await openSandbox({ now: () => NOW })
    const upload = makeUploadFile({
      ...box, fileBytes, conversation: { uploadMedia: async () => E.left({ _tag: 'CredentialsRefused', error: {} }) },
    })
    const failed = await upload({ workspace: box.workspace, file: fileOf([PDF]).file })
    assert.deepEqual<unknown>(failed, E.left({ _tag: 'CredentialsRefused', error: {} }))
    await box.senders.remove({ workspace: box.workspace, sender: rightOf(await box.senders.sendersOf(box.workspace))[0]!.phoneNumberId })
    const none = await upload({ workspace: box.workspace, file: fileOf([PDF]).file })
    assert.deepEqual<unknown>(none, E.left({ _tag: 'SenderNotConfigured' }))
  })
})

const digestOf = (bytes: Uint8Array): string => {
  const digest = fileBytes.newDigest()
  digest.update(bytes)
  return digest.hex()
}
