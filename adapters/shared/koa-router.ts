import { createRequire } from 'node:module'
import type * as KoaRouter from '@koa/router'

/** The router in its CommonJS form, because the other form imports `node:http`; see `node-http.ts`. */
export const Router: typeof KoaRouter.Router = (createRequire(import.meta.url)('@koa/router') as typeof KoaRouter).Router
