package controlplane

import (
	"os"
	"os/exec"
	"syscall"
)

// HasContainers reports whether programs can be confined to a folder.
func HasContainers() bool { return os.Geteuid() == 0 }

// StartContainer runs a program that sees only the files of its folder, as in a container, but without
// namespaces of its own. It needs root.
func StartContainer(name, logFolder string, c Container) (*Process, error) {
	if !HasContainers() {
		return nil, ErrContainer
	}
	cmd := exec.Command(c.Command, c.Args...)
	cmd.Args[0] = c.Self
	cmd.Env, cmd.Dir = c.Env, "/"
	cmd.SysProcAttr = apart()
	cmd.SysProcAttr.Chroot = c.Root
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(c.User), Gid: uint32(c.User)}
	return launch(name, logFolder, cmd)
}
