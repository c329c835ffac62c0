import AjvCompiler, { type BuildCompilerFromPool } from '@fastify/ajv-compiler'

type Validate = ReturnType<ReturnType<BuildCompilerFromPool>>

/**
 * Validators that are made of their schemas when a request first needs them. For all routes at once this takes a
 * fifth of a start, and most processes see few of them.
 */
export const compileWhenUsed: BuildCompilerFromPool = (externalSchemas, options) => {
  const compile = AjvCompiler()(externalSchemas, options)
  return (route) => {
    let compiled: Validate | undefined
    const validate = (value: unknown) => {
      compiled ??= compile(route)
      const isValid = compiled(value)
      // Fastify reads them off the function that it called.
      validate.errors = compiled.errors
      return isValid
    }
    validate.errors = undefined as Validate['errors']
    return validate as Validate
  }
}
