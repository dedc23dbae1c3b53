package controlplane

import "syscall"

// apart keeps the keyboard's signals away from a process, and makes the system end it should
// this program be killed: without notice, because nobody is left to insist.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
