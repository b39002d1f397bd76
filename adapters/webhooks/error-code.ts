/** The code of an error of Node.js, such as `ECONNREFUSED`. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
