//go:build unix && !linux

package controlplane

import "syscall"

// apart keeps the keyboard's signals away from a process.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
