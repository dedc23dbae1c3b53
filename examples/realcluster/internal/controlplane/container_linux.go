package controlplane

import (
	"os"
	"os/exec"
	"syscall"
)

// StartContainer runs a program as a container does that has nothing but its files, without a
// namespace of its own. It takes root.
func StartContainer(name, logFolder string, c Container) (*Process, error) {
	cmd := exec.Command(c.Command, c.Args...)
	cmd.Args[0] = c.Self
	cmd.Env, cmd.Dir = c.Env, "/"
	cmd.SysProcAttr = apart()
	cmd.SysProcAttr.Chroot = c.Root
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(c.User), Gid: uint32(c.User)}
	if os.Geteuid() != 0 {
		return nil, ErrContainer
	}
	return start(name, logFolder, cmd)
}
