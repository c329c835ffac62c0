import AjvCompiler, { type BuildCompilerFromPool } from '@fastify/ajv-compiler'

type Validate = ReturnType<ReturnType<BuildCompilerFromPool>>

/** For all servers of the process. */
const buildCompiler = AjvCompiler()

/**
 * Compiles a validator when a request first needs it. Compiling those of all routes would take a fifth of the
 * start, and most processes use few of them.
 */
export const compileWhenUsed: BuildCompilerFromPool = (externalSchemas, options) => {
  const compile = buildCompiler(externalSchemas, options)
  return (route) => {
    let compiled: Validate | undefined
    const validate = (value: unknown) => {
      compiled ??= compile(route)
      const isValid = compiled(value)
      // Fastify reads the errors from the function it called.
      validate.errors = compiled.errors
      return isValid
    }
    validate.errors = undefined as Validate['errors']
    return validate as Validate
  }
}
