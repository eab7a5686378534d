"""Facts that change: what holds, where it comes from, and how to forget it. Needs no key."""

from memzoo import ConversationKGMemory

# It prints:
#   Anna lives in Bergen.
#   Anna lives in Oslo: superseded, said in message 1
#   Anna lives in Bergen: holds, said in message 3
#   messages (3, 4) are gone, and so is what was learnt from them:
#   Anna lives in Oslo.

memory = ConversationKGMemory(llm="offline", learn_every=1)  # at each save; by default, from 8 exchanges at a time
memory.save_context({"input": "Anna lives in Oslo."}, {"output": "Noted."})
memory.save_context({"input": "Anna lives in Bergen now."}, {"output": "Good for her!"})

print(memory.load_memory_variables({"input": "Where does Anna live?"})["history"])
for reason in memory.why("Anna"):
    print(f"{reason.fact}: {'holds' if reason.holds else 'superseded'}, said in message {reason.quotes[0].seq}")

receipt = memory.forget([3, 4])  # the second exchange, for good
print(f"messages {receipt.removed} are gone, and so is what was learnt from them:")
print(memory.load_memory_variables({"input": "Where does Anna live?"})["history"])
