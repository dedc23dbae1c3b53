package controlplane

import "syscall"

// apart shields a process from the signals of the keyboard, and makes the system kill it if this program is
// killed. It is killed without notice, because nobody would be left to make sure that it ends.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
