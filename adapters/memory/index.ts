/**
 * Every storage port in memory, and a sandbox: every port that a use case needs, in memory.
 *
 * @packageDocumentation
 */
export { makeMemoryStorage, type MemoryStorage, type MemoryStorageOptions } from './storage.js'
export { type Attachment, type Attachments, openSandbox, type Sandbox, type SandboxOptions } from './sandbox.js'
