"""What all strategies have in common: a log that is followed, a state that is learnt from it, and a view of both.

What happens when an exchange is saved:

1. `BaseMemory.asave_context` makes two messages of it, and `Engine.append` stores them. From here on nothing is lost.
2. `Learner.follow` adds them to the log that is held in memory; `catch_up` waits until nobody else learns this state.
3. `Learner.learn` looks up the state, and chooses what to learn from: whole exchanges that wait, as many as a prompt
   has room for (`steps`), if the strategy says that it is time to (`due`).
4. The strategy's `derive` gives what is to be learnt from them. `StateKeeper.commit` stores that together with the
   number of the last message. Then it is looked whether more waits.
5. If a model fails, the call ends. What `Patience` makes of it is kept with the state, for the next call.
6. With `keep_history=False`, `forgetting.evict` deletes what is of no more use.

A load (`Engine.shown`) reads what is new, learns from what still waits, and lets the strategy show both; what could not
be learnt from is added word for word, and the system message first.
"""
