@rem The "exec" of "npm start" on Windows, where the shell has none: it runs what it is given.
@%*
