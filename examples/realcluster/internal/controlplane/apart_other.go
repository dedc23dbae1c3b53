//go:build unix && !linux

package controlplane

import "syscall"

// apart shields a process from the signals of the keyboard.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
