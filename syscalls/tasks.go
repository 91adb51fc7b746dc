package syscalls

import "iter"

// taskSet has a process's threads by their ids. One of them, mostly the only one,
// is outside of the map: a forked child that touches a map pays for the pages of the
// runtime's code and data that it takes.
type taskSet struct {
	one  *Task
	more map[int]*Task
}

// get returns the task with an id, nil if there is none.
func (s *taskSet) get(tid int) *Task {
	if s.one != nil && s.one.tid == tid {
		return s.one
	}
	if s.more == nil {
		return nil
	}
	return s.more[tid]
}

// add adds a task under its id.
func (s *taskSet) add(t *Task) {
	if s.one == nil {
		s.one = t
		return
	}
	if s.more == nil {
		s.more = map[int]*Task{}
	}
	s.more[t.tid] = t
}

// remove removes a task.
func (s *taskSet) remove(t *Task) {
	if s.one == t {
		s.one = nil
		return
	}
	delete(s.more, t.tid)
}

// len is how many there are.
func (s *taskSet) len() int {
	if s.one == nil {
		return len(s.more)
	}
	return 1 + len(s.more)
}

// all yields every task.
func (s *taskSet) all() iter.Seq[*Task] {
	return func(yield func(*Task) bool) {
		if s.one != nil && !yield(s.one) || len(s.more) == 0 {
			return
		}
		for _, t := range s.more {
			if !yield(t) {
				return
			}
		}
	}
}

// only leaves t as the only task, under the id that it has now.
func (s *taskSet) only(t *Task) {
	if s.one != t { // a page that is not written is not copied
		s.one = t
	}
	if s.more != nil {
		s.more = nil
	}
}
