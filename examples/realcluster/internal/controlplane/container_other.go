//go:build unix && !linux

package controlplane

// HasContainers returns false, because programs can be confined only on Linux.
func HasContainers() bool { return false }

// StartContainer returns ErrContainer, because programs can be confined only on Linux.
func StartContainer(string, string, Container) (*Process, error) { return nil, ErrContainer }
