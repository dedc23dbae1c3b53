// Package thirdparty answers: what may stand beside the plugins that a scheduler comes with, and how does each
// side of the comparison meet it?
//
// An [Extender] is served over HTTP, as the scheduler calls it ([Serve]), and is a function for outrank. A
// [Contrary] is a filter plugin whose answers in dry runs differ from those in the attempt itself. An [Other] is
// one more PostFilter plugin. Both exist as a plugin of the scheduler and as the same thing in outrank. A
// [Foreign] is a plugin of the scheduler alone, which a plugin in place of DefaultPreemption has to live with.
//
// All of them answer by tables or hashes that are drawn once. The same question gets the same answer on both
// sides, in whatever order the questions come. A Foreign that counts or remembers is the exception.
package thirdparty
