// Package other asks for a method.
package other

type runner interface{ Run() }
