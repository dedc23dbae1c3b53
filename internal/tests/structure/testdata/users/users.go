// Package users is at the top of a module.
package users
