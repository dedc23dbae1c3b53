package controlplane

import "errors"

// Container is a program in a folder that is its whole file system.
type Container struct {
	// Root is the folder, and Command the program in it, by its path there.
	Root, Command string
	Args, Env     []string
	// Self is the name of the program for itself, which clients tell the API server.
	Self string
	// User is the id of the user and of the group, which is not root.
	User int
}

// ErrContainer is the error where a program cannot be kept to a folder.
var ErrContainer = errors.New("a container takes Linux and root")
