package controlplane

import "errors"

// Container is a program that sees a folder as its whole file system.
type Container struct {
	// Root is the folder, and Command the path of the program within the folder.
	Root, Command string
	Args, Env     []string
	// Self is the name under which the program is run. Clients report it to the API server.
	Self string
	// User is the id of both the user and the group. It is not root.
	User int
}

// ErrContainer is the error if a program cannot be confined to a folder.
var ErrContainer = errors.New("a container takes Linux and root")
