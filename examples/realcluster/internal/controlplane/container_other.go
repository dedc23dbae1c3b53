//go:build unix && !linux

package controlplane

// HasContainers returns false.
func HasContainers() bool { return false }

// StartContainer returns ErrContainer.
func StartContainer(string, string, Container) (*Process, error) { return nil, ErrContainer }
